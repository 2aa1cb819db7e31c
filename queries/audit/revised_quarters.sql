-- A later filing revised a line of one of the quarters that the figure compares: up to twelve before its own.
--
-- A line is revised where the version that counts today was not known on the day and has another value than the one that was.
--
-- kind:   restated
-- tables: quarter_changes, compared_quarters, earnings, ecs_rankings
WITH newest_then AS (
  SELECT symbol, statement, period_end, period_type, basis, line, last_value(value ORDER BY known_from, filed_at NULLS FIRST) AS value
  FROM   past.statement_lines
  -- A file without dates lies there before its lines count as known.
  WHERE  known_from <= (SELECT max(session) FROM past.sessions)
  GROUP  BY symbol, statement, period_end, period_type, basis, line
),
newest_now AS (
  SELECT symbol, statement, period_end, period_type, basis, line,
         last_value(value ORDER BY known_from, filed_at NULLS FIRST) AS value, max(known_from) AS known_from
  FROM   whole.statement_lines
  GROUP  BY symbol, statement, period_end, period_type, basis, line
),
revised AS (
  SELECT DISTINCT n.symbol, n.period_end
  FROM   newest_now AS n
         LEFT JOIN newest_then AS t
           ON t.symbol = n.symbol AND t.statement = n.statement AND t.period_end = n.period_end
          AND t.period_type = n.period_type AND t.basis = n.basis AND t.line = n.line
  WHERE  n.known_from > (SELECT max(session) FROM past.sessions)
    AND  (t.symbol IS NULL OR t.value <> n.value)
),
periods AS (
  SELECT DISTINCT symbol, period_end FROM past.reported_periods
)
SELECT DISTINCT p.symbol, p.period_end
FROM   periods AS p
       JOIN revised AS r ON r.symbol = p.symbol AND p.period_end - r.period_end BETWEEN 0 AND 1200
