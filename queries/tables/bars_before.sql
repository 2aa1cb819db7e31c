-- Bars before: what the figures of each stock were at the bar before its last one, and the 52-week highs and lows of its last five bars.
--
-- A crossing is what holds at the last bar and did not at the bar before. Prices are in today's shares. Where the last bar begins a price
-- segment, nothing before it is comparable and the figures are null.
--
-- key:     symbol
-- sorted:  symbol
-- column: symbol           text
-- column: price_cmp_before number? price "Close of the bar before."
-- column: stage_before     int?          "Stage at the bar before."
-- column: rsi_14_before    number? score "RSI at the bar before."
-- column: sma_50_before    number? price "50-bar average at the bar before."
-- column: sma_150_before   number? price "150-bar average at the bar before."
-- column: sma_200_before   number? price "200-bar average at the bar before."
-- column: ema_10_before    number? price "10-bar exponential average at the bar before."
-- column: ema_21_before    number? price "21-bar exponential average at the bar before."
-- column: ema_50_before    number? price "50-bar exponential average at the bar before."
-- column: made_high        bool?         "Whether the last bar made a 52-week high."
-- column: made_high_5      bool?         "Whether one of the last five bars made a 52-week high."
-- column: made_low         bool?         "Whether the last bar made a 52-week low."
-- column: made_low_5       bool?         "Whether one of the last five bars made a 52-week low."
WITH last_bars AS (
    SELECT i.*,
           b.price_segment               AS segment_now,
           b.cumulative_split_factor_now AS factor,
           ROW_NUMBER() OVER (PARTITION BY i.symbol ORDER BY i.session DESC) AS turn
    FROM   latest_bars b
    JOIN   indicators i ON i.symbol = b.symbol
)
SELECT symbol,
       MAX(CASE WHEN turn = 2 AND price_segment = segment_now THEN adj_close / factor END) AS price_cmp_before,
       MAX(CASE WHEN turn = 2 AND price_segment = segment_now THEN stage END)              AS stage_before,
       MAX(CASE WHEN turn = 2 AND price_segment = segment_now THEN rsi_14 END)             AS rsi_14_before,
       MAX(CASE WHEN turn = 2 AND price_segment = segment_now THEN sma_50 / factor END)    AS sma_50_before,
       MAX(CASE WHEN turn = 2 AND price_segment = segment_now THEN sma_150 / factor END)   AS sma_150_before,
       MAX(CASE WHEN turn = 2 AND price_segment = segment_now THEN sma_200 / factor END)   AS sma_200_before,
       MAX(CASE WHEN turn = 2 AND price_segment = segment_now THEN ema_10 / factor END)    AS ema_10_before,
       MAX(CASE WHEN turn = 2 AND price_segment = segment_now THEN ema_21 / factor END)    AS ema_21_before,
       MAX(CASE WHEN turn = 2 AND price_segment = segment_now THEN ema_50 / factor END)    AS ema_50_before,
       bool_or(is_new_high) FILTER (WHERE turn = 1) AS made_high,
       bool_or(is_new_high)                         AS made_high_5,
       bool_or(is_new_low) FILTER (WHERE turn = 1)  AS made_low,
       bool_or(is_new_low)                          AS made_low_5
FROM   last_bars
WHERE  turn <= 5
GROUP  BY symbol
ORDER  BY symbol
