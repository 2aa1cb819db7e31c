-- Breadth: how many stocks take part in the market's moves, session by session.
--
-- A close that equals an average is not above it; a difference in the last digit of the arithmetic is none.
--
-- key:     session
-- sorted:  session
-- formula: breadth 1
-- column: session         date
-- column: advances        int count    "Stocks that closed above their bar before."
-- column: declines        int count    "Stocks that closed below their bar before."
-- column: unchanged       int count    "Stocks that closed where their bar before did."
-- column: pct_above_sma10 number? pct  "Stocks above their 10-bar mean, of those that have one and traded."
-- column: pct_above_sma20 number? pct  "Stocks above their 20-bar mean, of those that have one and traded."
-- column: pct_above_sma40 number? pct  "Stocks above their 40-bar mean, of those that have one and traded."
-- column: pct_above_sma50 number? pct us  "Stocks above their 50-bar mean, of those that have one and traded."
-- column: pct_above_sma200 number? pct us "Stocks above their 200-bar mean, of those that have one and traded."
-- column: benchmark       text?
-- column: benchmark_close number? price
WITH changes AS (
    SELECT session,
           COUNT(*) FILTER (WHERE change_pct > 0) AS advances,
           COUNT(*) FILTER (WHERE change_pct < 0) AS declines,
           COUNT(*) FILTER (WHERE change_pct = 0) AS unchanged
    FROM   daily_prices
    GROUP  BY session
),
averages AS (
    SELECT session,
           100.0 * COUNT(*) FILTER (WHERE adj_close - sma_10  > 1e-12 * sma_10)  / NULLIF(COUNT(sma_10), 0)  AS pct_above_sma10,
           100.0 * COUNT(*) FILTER (WHERE adj_close - sma_20  > 1e-12 * sma_20)  / NULLIF(COUNT(sma_20), 0)  AS pct_above_sma20,
           100.0 * COUNT(*) FILTER (WHERE adj_close - sma_40  > 1e-12 * sma_40)  / NULLIF(COUNT(sma_40), 0)  AS pct_above_sma40,
           100.0 * COUNT(*) FILTER (WHERE adj_close - sma_50  > 1e-12 * sma_50)  / NULLIF(COUNT(sma_50), 0)  AS pct_above_sma50,
           100.0 * COUNT(*) FILTER (WHERE adj_close - sma_200 > 1e-12 * sma_200) / NULLIF(COUNT(sma_200), 0) AS pct_above_sma200
    FROM   indicators
    GROUP  BY session
)
SELECT c.session,
       c.advances,
       c.declines,
       c.unchanged,
       a.pct_above_sma10,
       a.pct_above_sma20,
       a.pct_above_sma40,
       a.pct_above_sma50,
       a.pct_above_sma200,
       b.benchmark,
       b.benchmark_close
FROM   changes c
JOIN   averages a ON a.session = c.session
LEFT   JOIN benchmark b ON b.session = c.session
ORDER  BY c.session
