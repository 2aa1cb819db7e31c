-- Benchmark: the large-cap series that the market is held against.
--
-- The index ETF of the price files where there is one; otherwise a chain of the daily returns of the NIFTY50 or SP500 members,
-- weighted by their market cap of the session before, from 1,000.
--
-- key:     session
-- sorted:  session
-- formula: benchmark 1
-- column: session         date
-- column: benchmark       text         "The series that stands for the large-cap market."
-- column: benchmark_close number price "Close of the benchmark."
WITH given AS (
    SELECT session, index_name, close * factor AS level
    FROM   index_prices
    WHERE  index_name IN ('NIFTYBEES', 'SPY')
),
lists AS (
    SELECT index_name, MAX(list_date) AS list_date
    FROM   index_members
    WHERE  index_name IN ('NIFTY50', 'SP500')
    GROUP  BY index_name
),
returns AS (
    SELECT p.session,
           m.index_name,
           SUM(p.market_cap) / NULLIF(SUM(p.market_cap / (1 + p.change_pct / 100)), 0) AS growth
    FROM   daily_prices p
    JOIN   index_members m ON m.symbol = p.symbol
    JOIN   lists l ON l.index_name = m.index_name AND l.list_date = m.list_date
    WHERE  p.change_pct IS NOT NULL
    GROUP  BY p.session, m.index_name
),
made AS (
    SELECT session,
           index_name,
           1000 * EXP(SUM(LN(growth)) OVER (PARTITION BY index_name ORDER BY session)) AS level
    FROM   returns
    WHERE  growth > 0
)
SELECT session, index_name AS benchmark, level AS benchmark_close
FROM   given
UNION  ALL
SELECT session, index_name || ' members' AS benchmark, level AS benchmark_close
FROM   made
WHERE  NOT EXISTS (SELECT 1 FROM given)
ORDER  BY session
