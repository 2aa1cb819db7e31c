-- Indicators: averages, ranges, momentum and the relative-strength score of every bar.
--
-- All are taken over adjusted prices within one price segment, and count the stock's own bars. Prices are in shares of the stock's
-- first bar, so that no later split rescales them.
--
-- key:     symbol, session
-- sorted:  symbol, session
-- split:   year
-- per:     symbol
-- lookback: 270
-- carried: ema_10, ema_21, ema_50, mean_gain_14, mean_loss_14, stage
-- formula: indicators 4
-- column: symbol    text
-- column: session   date
-- column: price_segment   int
-- column: adj_close number price  "Close in shares of the stock's first bar."
-- column: sma_10    number? price "Mean of the last 10 adjusted closes."
-- column: sma_20    number? price "Mean of the last 20 adjusted closes."
-- column: sma_40    number? price "Mean of the last 40 adjusted closes."
-- column: sma_50    number? price "Mean of the last 50 adjusted closes."
-- column: sma_150   number? price "Mean of the last 150 adjusted closes."
-- column: sma_200   number? price "Mean of the last 200 adjusted closes."
-- column: ema_10    number? price "Exponential average of the adjusted closes over 10 bars, seeded with their mean."
-- column: ema_21    number? price "Exponential average of the adjusted closes over 21 bars, seeded with their mean."
-- column: ema_50    number? price "Exponential average of the adjusted closes over 50 bars, seeded with their mean."
-- column: mean_gain_14 number? price "Mean gain as Wilder smooths it over 14 bars, a loss counting as 0."
-- column: mean_loss_14 number? price "Mean loss as Wilder smooths it over 14 bars, a gain counting as 0."
-- column: rsi_14    number? score "Relative strength index of Wilder over 14 bars."
-- column: wk52_high number? price "Highest adjusted high of the bar and of those at most 365 calendar days older, or of all bars of a younger listing."
-- column: wk52_low  number? price "Lowest adjusted low of the bar and of those at most 365 calendar days older, or of all bars of a younger listing."
-- column: rvol_20   number? ratio "Volume over the mean volume of the 20 bars before."
-- column: roc_63    number? pct   "Change of the adjusted close over 63 bars."
-- column: roc_126   number? pct   "Change of the adjusted close over 126 bars."
-- column: roc_189   number? pct   "Change of the adjusted close over 189 bars."
-- column: roc_252   number? pct   "Change of the adjusted close over 252 bars."
-- column: change_pct number? pct
-- column: bar_change_pct number? pct "Change of the adjusted close against the stock's bar before, where that is not the change of the day: the files lack a session between. Null where the two are the same."
-- column: market_cap_before number? money "Market capitalisation at the bar before: the weight of the bar's change in an index."
-- column: cap_before_assumed bool?   "Whether that market cap is assumed."
-- column: is_new_high bool? "Whether the high is the 52-week high; null at a price segment's first bar."
-- column: is_new_low  bool? "Whether the low is the 52-week low; null at a price segment's first bar."
-- column: median_turnover number? money "Median turnover of the last 20 bars, or of all bars of a younger listing."
-- column: is_liquid bool?         "Whether that median is at least INR 0.5 crore in India, USD 0.5 million in the US."
-- column: stage     int?          "Stage of Weinstein: 1 base, 2 advance, 3 top, 4 decline; of industries 0 where none of them advances."
-- column: rs_score  number? pct   "Relative-strength score: 0.4 of the change over 63 bars and 0.2 each of those over 126, 189 and 252."
WITH figures AS (
    SELECT symbol,
           session,
           price_segment,
           close * cumulative_split_factor                        AS adj_close,
           sma(close * cumulative_split_factor, 10)  OVER bars    AS sma_10,
           sma(close * cumulative_split_factor, 20)  OVER bars    AS sma_20,
           sma(close * cumulative_split_factor, 40)  OVER bars    AS sma_40,
           sma(close * cumulative_split_factor, 50)  OVER bars    AS sma_50,
           sma(close * cumulative_split_factor, 150) OVER bars    AS sma_150,
           sma(close * cumulative_split_factor, 200) OVER bars    AS sma_200,
           ema(close * cumulative_split_factor, 10, carried('ema_10', symbol, session)) OVER bars AS ema_10,
           ema(close * cumulative_split_factor, 21, carried('ema_21', symbol, session)) OVER bars AS ema_21,
           ema(close * cumulative_split_factor, 50, carried('ema_50', symbol, session)) OVER bars AS ema_50,
           mean_gain(close * cumulative_split_factor, 14, carried('mean_gain_14', symbol, session)) OVER bars AS mean_gain_14,
           mean_loss(close * cumulative_split_factor, 14, carried('mean_loss_14', symbol, session)) OVER bars AS mean_loss_14,
           stage(close * cumulative_split_factor, carried('stage', symbol, session)) OVER bars AS stage,
           highest_in_days(high * cumulative_split_factor, CAST(session AS INT), 365) OVER bars AS wk52_high,
           lowest_in_days(low * cumulative_split_factor, CAST(session AS INT), 365) OVER bars AS wk52_low,
           rvol(volume / cumulative_split_factor, 20) OVER bars   AS rvol_20,
           roc(close * cumulative_split_factor, 63)  OVER bars    AS roc_63,
           roc(close * cumulative_split_factor, 126) OVER bars    AS roc_126,
           roc(close * cumulative_split_factor, 189) OVER bars    AS roc_189,
           roc(close * cumulative_split_factor, 252) OVER bars    AS roc_252,
           rolling_median(turnover, 20)    OVER bars    AS median_turnover,
           change_pct,
           roc(close * cumulative_split_factor, 1) OVER bars      AS since_bar,
           ago(market_cap, 1)       OVER bars    AS market_cap_before,
           ago(CAST(market_cap_assumed AS INT), 1) OVER bars > 0 AS cap_before_assumed,
           high * cumulative_split_factor                         AS adj_high,
           low * cumulative_split_factor                          AS adj_low
    FROM   daily_prices
    WINDOW bars AS (PARTITION BY symbol, price_segment ORDER BY session)
)
SELECT * EXCEPT (adj_high, adj_low, since_bar),
       CASE WHEN COALESCE(abs(since_bar - change_pct) > 1e-6, TRUE) THEN since_bar END AS bar_change_pct,
       CASE WHEN mean_gain_14 + mean_loss_14 = 0 THEN 50.0 ELSE 100 * mean_gain_14 / (mean_gain_14 + mean_loss_14) END AS rsi_14,
       CASE WHEN since_bar IS NOT NULL THEN adj_high >= wk52_high END AS is_new_high,
       CASE WHEN since_bar IS NOT NULL THEN adj_low <= wk52_low END   AS is_new_low,
       median_turnover >= CASE market() WHEN 'india' THEN 5000000.0 WHEN 'us' THEN 500000.0 END AS is_liquid,
       0.4 * roc_63 + 0.2 * roc_126 + 0.2 * roc_189 + 0.2 * roc_252 AS rs_score
FROM   figures
ORDER  BY symbol, session
