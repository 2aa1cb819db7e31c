-- Breakout conditions: the benchmark against its averages, session by session.
--
-- In India these are exponential averages of 10 and 21 sessions, in the US means of 50 and 200. A close that equals an average is not above
-- it. The conditions do not show a close above only ema_10 or only sma_200; the flags do.
--
-- key:     session
-- sorted:  session
-- schedule: 30 12 * * 1-5 india
-- schedule: 0 18 * * 1-5 us
-- stale-after-hours: 78
-- formula: breakout conditions 2
-- column: session         date
-- column: ema_condition   text? india "ABOVE_BOTH, ABOVE_21_ONLY or BELOW_BOTH: the benchmark against its ema_10 and ema_21."
-- column: sma_condition   text? us    "BULL_CONFIRMED, ABOVE_SMA50_ONLY or BEAR_CONFIRMED: the benchmark against its sma_50 and sma_200."
-- column: above_ema_10    bool? india "Whether the benchmark closed above its ema_10."
-- column: above_ema_21    bool? india "Whether the benchmark closed above its ema_21."
-- column: above_sma_50    bool? us
-- column: above_sma_200   bool? us    "Whether the benchmark closed above its sma_200."
-- column: benchmark       text?
-- column: benchmark_close number? price
-- column: ema_10          number? price
-- column: ema_20          number? price "Exponential average of the closes over 20 sessions, seeded with their mean."
-- column: ema_21          number? price
-- column: sma_50          number? price
-- column: sma_200         number? price
-- column: rsi_14          number? score
WITH averages AS (
    SELECT session,
           benchmark,
           benchmark_close,
           ema(benchmark_close, 10)  OVER sessions AS ema_10,
           ema(benchmark_close, 20)  OVER sessions AS ema_20,
           ema(benchmark_close, 21)  OVER sessions AS ema_21,
           sma(benchmark_close, 50)  OVER sessions AS sma_50,
           sma(benchmark_close, 200) OVER sessions AS sma_200,
           rsi(benchmark_close, 14)  OVER sessions AS rsi_14
    FROM   benchmark
    WINDOW sessions AS (ORDER BY session)
)
SELECT s.session,
       CASE
           WHEN ema_21 IS NULL OR ema_10 IS NULL                      THEN NULL
           WHEN benchmark_close > ema_10 AND benchmark_close > ema_21 THEN 'ABOVE_BOTH'
           WHEN benchmark_close > ema_21                              THEN 'ABOVE_21_ONLY'
           ELSE 'BELOW_BOTH'
       END AS ema_condition,
       CASE
           WHEN sma_50 IS NULL OR sma_200 IS NULL                      THEN NULL
           WHEN benchmark_close > sma_50 AND benchmark_close > sma_200 THEN 'BULL_CONFIRMED'
           WHEN benchmark_close > sma_50                               THEN 'ABOVE_SMA50_ONLY'
           ELSE 'BEAR_CONFIRMED'
       END AS sma_condition,
       benchmark_close > ema_10  AS above_ema_10,
       benchmark_close > ema_21  AS above_ema_21,
       benchmark_close > sma_50  AS above_sma_50,
       benchmark_close > sma_200 AS above_sma_200,
       a.benchmark,
       a.benchmark_close,
       a.ema_10,
       a.ema_20,
       a.ema_21,
       a.sma_50,
       a.sma_200,
       a.rsi_14
FROM   sessions s
LEFT   JOIN averages a ON a.session = s.session
ORDER  BY s.session
