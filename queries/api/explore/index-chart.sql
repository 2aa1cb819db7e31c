-- Explorer: an index over up to five years from 100 at the first session, with the market's benchmark beside it, the oldest session first.
--
-- An operation of the explorer. The line is made of the closes of the index that the files have, if the newest is at most a week older than
-- the market's last session; the benchmark is beside it, from the same session on. Without such closes, NIFTY50 and SP500 are shown by the
-- market's benchmark, under its name, and any other index has no rows.
--
-- tool:   none
-- tier:   free
-- group:  Explorer
-- answer: list
-- page:   indices index, range
-- optional: index_prices, benchmark
-- picture: compare title="From the same start" date=session value=line_level:"From 100" of=line_name
-- param:  index text of index_lists.index_name "Name of the index in capitals, such as NIFTY50; spaces do not matter." e.g. NIFTY50
-- param:  range text = 1y in (1m, 3m, 6m, 1y, 2y, 5y) "How far back from the market's last session." e.g. 6m
-- column: line_name  text         "The index, or the benchmark."
-- column: line_level number price "Level from 100 at the first session here."
-- column: line_close number price "Close of the session."
-- also:   us
-- us-param: index text of index_lists.index_name "Name of the index, such as SP500." e.g. SP500
WITH own AS (
    SELECT index_name, session, close * factor AS close
    FROM   index_prices
    WHERE  index_name = $index
    AND    session >= as_of() - CASE $range WHEN '1m' THEN 31 WHEN '3m' THEN 92 WHEN '6m' THEN 183 WHEN '1y' THEN 365 WHEN '2y' THEN 731 ELSE 1827 END
    AND    EXISTS (SELECT 1 FROM index_prices WHERE index_name = $index AND session >= as_of() - 7)
),
lines AS (
    SELECT 1 AS place, index_name AS line_name, session, close
    FROM   own
    UNION  ALL
    SELECT 2, benchmark, session, benchmark_close
    FROM   benchmark
    WHERE  session >= as_of() - CASE $range WHEN '1m' THEN 31 WHEN '3m' THEN 92 WHEN '6m' THEN 183 WHEN '1y' THEN 365 WHEN '2y' THEN 731 ELSE 1827 END
    AND    session >= COALESCE((SELECT MIN(session) FROM own), as_of() - 1827)
    AND    benchmark <> $index
    AND    ($index IN ('NIFTY50', 'SP500') OR EXISTS (SELECT 1 FROM own))
)
SELECT session,
       line_name,
       100 * close / FIRST_VALUE(close) OVER (PARTITION BY place ORDER BY session) AS line_level,
       close AS line_close
FROM   lines
ORDER  BY session, place
