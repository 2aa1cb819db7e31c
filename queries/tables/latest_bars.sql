-- Latest bars: the last bar of every stock with its figures, prices adjusted to the shares of today.
--
-- The market cap uses the number of shares that is known now, also if the stock did not trade in the last session.
--
-- key:    symbol
-- sorted: symbol
-- per:    symbol
-- lookback: 270
-- formula: latest bars 5
-- column: symbol         text
-- column: session        date
-- column: price_segment        int
-- column: adj_close      number price
-- column: change_pct     number? pct
-- column: volume         int shares
-- column: turnover       number money
-- column: delivery_pct   number? pct
-- column: market_cap     number? money
-- column: market_cap_assumed bool?
-- column: sma_50         number? price
-- column: sma_150        number? price
-- column: sma_200        number? price
-- column: sma_200_change number? pct   "Change of the 200-bar mean over 21 bars."
-- column: ema_10         number? price
-- column: ema_21         number? price
-- column: ema_50         number? price
-- column: rsi_14         number? score
-- column: wk52_high      number? price
-- column: wk52_low       number? price
-- column: high_252       number? price "Highest adjusted high of the last 252 bars, or of all bars of a younger listing."
-- column: rvol_20        number? ratio
-- column: roc_5          number? pct   "Change of the adjusted close over 5 bars."
-- column: roc_21         number? pct   "Change of the adjusted close over 21 bars."
-- column: roc_63         number? pct
-- column: roc_126        number? pct
-- column: roc_252        number? pct
-- column: median_turnover number? money
-- column: is_liquid      bool?
-- column: stage          int?          "Stage of Weinstein: 1 base, 2 advance, 3 top, 4 decline; of industries 0 where none of them advances."
-- column: vcp_contractions int? count  "Contractions of the volatility contraction pattern; null without the pattern, which exists only in stage 2."
-- column: vcp_depths     text?         "Depths of the contractions in percent, the oldest first, such as 21.4, 9.8, 4.1."
-- column: vcp_last_depth number? pct   "Depth of the last contraction, from its high to the low after it."
-- column: vcp_pivot      number? price "High of the last contraction: the price to break out through."
-- column: first_bar      date          "Session of the stock's first bar in the files."
-- column: bar_count      int count     "Bars of the stock, over all its price segments."
-- column: cumulative_split_factor_now number factor "Shares that one share of the first bar has become by splits and bonuses, up to the market's last session."
-- column: year_start     date?         "Session of the 252nd bar from the last, counting the last; null for a younger price segment."
WITH adjusted AS (
    SELECT p.*,
           p.cumulative_split_factor / s.cumulative_split_factor_now AS factor,
           p.session = s.last_bar                AS is_last,
           s.cumulative_split_factor_now,
           s.shares_now,
           s.shares_now_assumed,
           s.first_bar,
           s.bar_count
    -- The small table first: joined so, bars keep their order and are not sorted again.
    FROM   bar_spans s
    JOIN   daily_prices p ON p.symbol = s.symbol
),
bars AS (
    SELECT *,
           roc(close * factor, 5)          OVER bars AS roc_5,
           roc(close * factor, 21)         OVER bars AS roc_21,
           ago(CAST(session AS INT), 251)  OVER bars AS year_start,
           highest_in_days(high * factor, CAST(session AS INT), 365) OVER bars AS wk52_high,
           lowest_in_days(low * factor, CAST(session AS INT), 365) OVER bars AS wk52_low,
           rolling_max(high * factor, 252) OVER bars AS high_252,
           vcp(high * factor, low * factor, volume / factor, is_last) OVER bars AS pattern
    FROM   adjusted
    WINDOW bars AS (PARTITION BY symbol, price_segment ORDER BY session)
),
figures AS (
    SELECT *,
           roc(sma_200, 21) OVER (PARTITION BY symbol, price_segment ORDER BY session) AS sma_200_change
    FROM   indicators
)
SELECT b.symbol,
       b.session,
       b.price_segment,
       b.close * b.factor              AS adj_close,
       b.change_pct,
       b.volume,
       b.turnover,
       b.delivery_pct,
       b.close * b.factor * b.shares_now AS market_cap,
       b.shares_now_assumed            AS market_cap_assumed,
       i.sma_50 / b.cumulative_split_factor_now  AS sma_50,
       i.sma_150 / b.cumulative_split_factor_now AS sma_150,
       i.sma_200 / b.cumulative_split_factor_now AS sma_200,
       i.sma_200_change,
       i.ema_10 / b.cumulative_split_factor_now  AS ema_10,
       i.ema_21 / b.cumulative_split_factor_now  AS ema_21,
       i.ema_50 / b.cumulative_split_factor_now  AS ema_50,
       i.rsi_14,
       b.wk52_high,
       b.wk52_low,
       b.high_252,
       i.rvol_20,
       b.roc_5,
       b.roc_21,
       i.roc_63,
       i.roc_126,
       i.roc_252,
       i.median_turnover,
       i.is_liquid,
       i.stage,
       CASE WHEN i.stage = 2 THEN get_field(b.pattern, 'contractions') END AS vcp_contractions,
       CASE WHEN i.stage = 2 THEN get_field(b.pattern, 'depths') END       AS vcp_depths,
       CASE WHEN i.stage = 2 THEN get_field(b.pattern, 'last_depth') END   AS vcp_last_depth,
       CASE WHEN i.stage = 2 THEN get_field(b.pattern, 'pivot') END        AS vcp_pivot,
       b.first_bar,
       b.bar_count,
       b.cumulative_split_factor_now,
       CAST(CAST(b.year_start AS INT) AS DATE) AS year_start
FROM   bars b
JOIN   figures i ON i.symbol = b.symbol AND i.session = b.session
WHERE  b.is_last
ORDER  BY b.symbol
