-- Explorer: up to eight stocks against each other over up to five years, each from 100 at its first bar, the oldest session first.
--
-- An operation of the explorer. A stock that was listed later starts from 100 at its own first bar. Closes are adjusted for splits and
-- bonuses; each row also has the benchmark, from 100 at its first session here.
--
-- tool:   none
-- tier:   api_pro
-- group:  Explorer
-- answer: list
-- page:   compare symbols, range, benchmark
-- optional: benchmark
-- picture: compare title="Compared from the same start" date=session value=rebased_close:"Close from 100" of=symbol
-- param:  symbols list of companies.symbol in 1..8 "Symbols with commas between them, at most eight." e.g. BAXIPAPOWR,TOXIFATELE
-- param:  range   text = 1y in (1m, 3m, 6m, 1y, 2y, 5y) "How far back from the market's last session." e.g. 6m
-- param:  benchmark bool = false "Whether the benchmark is a line, too, under its own symbol; not beside eight stocks." e.g. true
-- column: rebased_close     number price  "Adjusted close, 100 at the stock's first bar here."
-- column: rebased_benchmark number? price "Close of the benchmark, 100 at its first session here; null where it has none."
-- also:   us
-- us-param: symbols list of companies.symbol in 1..8 "Tickers with commas between them, at most eight." e.g. BAQEBO
WITH compared_stocks AS (
    SELECT symbol, array_position($symbols, symbol) AS place FROM companies WHERE array_has($symbols, symbol)
),
shown AS (
    SELECT a.place, p.symbol, p.session, p.close * p.cumulative_split_factor AS adj_close
    FROM   daily_prices p
    JOIN   compared_stocks a ON a.symbol = p.symbol
    WHERE  array_has($symbols, p.symbol)
    AND    p.session >= as_of() - CASE $range WHEN '1m' THEN 31 WHEN '3m' THEN 92 WHEN '6m' THEN 183 WHEN '1y' THEN 365 WHEN '2y' THEN 731 ELSE 1827 END
),
compared AS (
    SELECT place, symbol, session, adj_close FROM shown
    UNION  ALL
    SELECT 9, benchmark, session, benchmark_close
    FROM   benchmark
    WHERE  $benchmark
    AND    session >= (SELECT MIN(session) FROM shown)
    AND    (SELECT COUNT(DISTINCT symbol) FROM shown) < 8
    AND    benchmark NOT IN (SELECT symbol FROM shown)
)
SELECT b.symbol,
       b.session,
       100 * b.adj_close / FIRST_VALUE(b.adj_close) OVER (PARTITION BY b.place ORDER BY b.session) AS rebased_close,
       m.benchmark,
       100 * m.benchmark_close / FIRST_VALUE(m.benchmark_close) OVER (PARTITION BY b.place ORDER BY b.session) AS rebased_benchmark
FROM   compared b
LEFT   JOIN benchmark m ON m.session = b.session
ORDER  BY b.session, b.place
