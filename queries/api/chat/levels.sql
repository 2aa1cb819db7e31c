-- Chat: the place of a stock among its levels: averages, ATR, swing lows, base, pivot, its state, and stops by three rules with their risk.
--
-- ATR 14 is Wilder's mean of the true range, seeded with the mean of the first 14 bars of the price segment. The swing low is the lowest low
-- of the last 10 bars, the base the lowest low and the highest high of the last 50 bars. The pivot is that of a contraction pattern where
-- there is one, or else the highest high of the 50 bars before the last one. Stops are two ATR below the entry, just under the swing low,
-- and under the 50-bar mean. The risk is the distance of the entry from the stop; a stop that is not below the entry has none, and `stop_notes`
-- says so. With `capital`, each stop has the number of whole shares that lose `risk_pct` of it there, and that it can pay for.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- optional: scans
-- param:  symbol text    "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  entry  number? in 0.0001.. "Entry price; if omitted, the last close." e.g. 900
-- param:  stop     number? in 0.0001.. "A stop of your own, below the entry." e.g. 80
-- param:  capital  number? in 1..100000000000000 "Money of the account, in the money of the market: sizes a position by each stop." e.g. 1000000
-- param:  risk_pct number = 1 in 0.01..100 "Percent of `capital` that is lost at the stop." e.g. 2
-- column: close      number  price "Closing price, adjusted."
-- column: entry      number  price "Price from which the risk is counted."
-- column: atr_14     number? price "Mean true range of Wilder over 14 bars."
-- column: atr_pct    number? pct   "ATR 14 in percent of the close."
-- column: swing_low  number? price "Lowest low of the last 10 bars."
-- column: base_low   number? price "Lowest low of the last 50 bars."
-- column: base_high  number? price "Highest high of the last 50 bars."
-- column: pivot      number? price "Price to break out through."
-- column: pct_to_pivot number? pct "Distance of the close from the pivot, negative below it."
-- column: state      text?   "forming: more than 3 % below the pivot; at pivot: up to 3 % below it; broken out: up to 5 % above it; extended: more."
-- column: stop_atr        number? price "Entry less two ATR 14; null where that is not above 0."
-- column: stop_atr_risk   number? pct   "Distance of the entry from that stop."
-- column: stop_swing      number? price "Half a percent under the swing low."
-- column: stop_swing_risk number? pct   "Distance of the entry from that stop; null where the stop is not below the entry."
-- column: stop_sma_50      number? price "The 50-bar mean."
-- column: stop_sma_50_risk number? pct  "Distance of the entry from that stop; null where the stop is not below the entry."
-- column: stop_notes      text?         "Entries far from the close, stops that are not below the entry, and stops that the close is already below."
-- column: shares_atr      int? shares   "Shares to buy with stop_atr; null without `capital`."
-- column: shares_swing    int? shares   "Shares to buy with stop_swing; null without `capital`."
-- column: shares_sma_50   int? shares   "Shares to buy with stop_sma_50; null without `capital`."
-- column: stop_own        number? price "The stop of `stop`."
-- column: stop_own_risk   number? pct   "Distance of the entry from that stop; null where the stop is not below the entry."
-- column: shares_own      int? shares   "Shares to buy with stop_own; null without `capital`."
-- column: risk_amount     number? money "Money that is lost at the stop: `risk_pct` of `capital`."
-- also:   us
-- us-param: symbol text "Ticker of the company." e.g. BAQEBO
-- us-param: entry  number? in 0.0001.. "Entry price; if omitted, the last close." e.g. 100
WITH bars AS (
    SELECT p.session,
           p.symbol,
           p.price_segment,
           p.high * p.cumulative_split_factor / l.cumulative_split_factor_now  AS high,
           p.low * p.cumulative_split_factor / l.cumulative_split_factor_now   AS low,
           p.close * p.cumulative_split_factor / l.cumulative_split_factor_now AS close
    FROM   daily_prices p
    JOIN   latest_bars l ON l.symbol = p.symbol AND l.price_segment = p.price_segment
    WHERE  p.symbol = $symbol
    AND    l.symbol = $symbol
),
ranges AS (
    SELECT *,
           greatest(high - low,
                    COALESCE(abs(high - LAG(close) OVER (ORDER BY session)), 0),
                    COALESCE(abs(low - LAG(close) OVER (ORDER BY session)), 0)) AS true_range,
           CAST(ROW_NUMBER() OVER (ORDER BY session) AS BIGINT) AS place,
           COUNT(*) OVER () - CAST(ROW_NUMBER() OVER (ORDER BY session) AS BIGINT) + 1 AS place_from_last,
           COUNT(*) OVER ()                          AS bar_count
    FROM   bars
),
figures AS (
    SELECT MAX(symbol)  AS symbol,
           MAX(session) AS session,
           MAX(CASE WHEN place_from_last = 1 THEN close END) AS close,
           -- Wilder's mean written out: each later range counts a fourteenth, and loses a fourteenth with every bar after it.
           CASE WHEN MAX(bar_count) >= 14 THEN
               SUM(CASE WHEN place <= 14 THEN true_range * power(13.0 / 14, CAST(bar_count - 14 AS DOUBLE))
                        ELSE true_range * power(13.0 / 14, CAST(bar_count - place AS DOUBLE)) END) / 14
           END AS atr_14,
           MIN(CASE WHEN place_from_last <= 10 THEN low END)  AS swing_low,
           MIN(CASE WHEN place_from_last <= 50 THEN low END)  AS base_low,
           MAX(CASE WHEN place_from_last <= 50 THEN high END) AS base_high,
           MAX(CASE WHEN place_from_last BETWEEN 2 AND 51 THEN high END) AS high_before
    FROM   ranges
),
levels AS (
    SELECT f.*,
           l.sma_50,
           l.sma_200,
           l.ema_21,
           l.wk52_high,
           COALESCE(c.vcp_pivot, f.high_before) AS pivot,
           c.vcp,
           COALESCE($entry, f.close)            AS entry
    FROM   figures f
    JOIN   latest_bars l ON l.symbol = f.symbol
    LEFT   JOIN scans c ON c.symbol = f.symbol
    WHERE  l.symbol = $symbol
),
stops AS (
    SELECT *,
           CASE WHEN entry > 2 * atr_14 THEN entry - 2 * atr_14 END AS stop_atr,
           0.995 * swing_low                                        AS stop_swing,
           sma_50                                                   AS stop_sma_50,
           CAST($stop AS DOUBLE)                                              AS stop_own
    FROM   levels
)
SELECT symbol,
       session,
       close,
       entry,
       atr_14,
       100 * atr_14 / close AS atr_pct,
       swing_low,
       base_low,
       base_high,
       pivot,
       vcp,
       100 * (close / pivot - 1) AS pct_to_pivot,
       CASE
           WHEN close < 0.97 * pivot  THEN 'forming'
           WHEN close <= pivot        THEN 'at pivot'
           WHEN close <= 1.05 * pivot THEN 'broken out'
           WHEN close > 1.05 * pivot  THEN 'extended'
       END AS state,
       ema_21,
       sma_50,
       sma_200,
       wk52_high,
       stop_atr,
       100 * (1 - stop_atr / entry)                                          AS stop_atr_risk,
       stop_swing,
       CASE WHEN stop_swing < entry THEN 100 * (1 - stop_swing / entry) END   AS stop_swing_risk,
       stop_sma_50,
       CASE WHEN stop_sma_50 < entry THEN 100 * (1 - stop_sma_50 / entry) END AS stop_sma_50_risk,
       stop_own,
       CASE WHEN stop_own < entry THEN 100 * (1 - stop_own / entry) END       AS stop_own_risk,
       NULLIF(CONCAT_WS('; ',
           CASE WHEN stop_own >= entry THEN 'stop is not below the entry' END,
           CASE WHEN abs(entry / close - 1) > 0.1 THEN 'entry is ' || CAST(round(100 * (entry / close - 1), 1) AS TEXT) || ' % from the close' END,
           CASE WHEN stop_atr > close THEN 'stop_atr is above the close' END,
           CASE WHEN stop_swing >= entry THEN 'stop_swing would lock a gain of ' || CAST(round(100 * (stop_swing / entry - 1), 1) AS TEXT) || ' %' END,
           CASE WHEN stop_sma_50 > close THEN 'stop_sma_50 is above the close'
                WHEN stop_sma_50 >= entry THEN 'stop_sma_50 would lock a gain of ' || CAST(round(100 * (stop_sma_50 / entry - 1), 1) AS TEXT) || ' %' END
       ), '') AS stop_notes,
       CASE WHEN stop_atr < entry THEN CAST(floor(least($capital * $risk_pct / 100 / (entry - stop_atr), $capital / entry)) AS BIGINT) END       AS shares_atr,
       CASE WHEN stop_swing < entry THEN CAST(floor(least($capital * $risk_pct / 100 / (entry - stop_swing), $capital / entry)) AS BIGINT) END   AS shares_swing,
       CASE WHEN stop_sma_50 < entry THEN CAST(floor(least($capital * $risk_pct / 100 / (entry - stop_sma_50), $capital / entry)) AS BIGINT) END AS shares_sma_50,
       CASE WHEN stop_own < entry THEN CAST(floor(least($capital * $risk_pct / 100 / (entry - stop_own), $capital / entry)) AS BIGINT) END       AS shares_own,
       $capital * $risk_pct / 100 AS risk_amount
FROM   stops
WHERE  symbol IS NOT NULL
