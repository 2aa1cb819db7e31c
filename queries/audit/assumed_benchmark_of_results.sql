-- The benchmark of the sessions that the market's answer spans is chained from members whose list or caps are of a later day.
--
-- kind:    assumed
-- tables:  earnings, ecs_rankings
-- columns: announcement_return
WITH assumed AS (
  SELECT session FROM whole.benchmark WHERE benchmark_assumed
  UNION
  SELECT session FROM past.benchmark WHERE benchmark_assumed
  UNION
  SELECT s.session
  FROM   past.sessions AS s
  WHERE  s.session >= (
           SELECT min(p.list_date)
           FROM   past.index_members AS p
                  LEFT JOIN whole.index_members AS w ON w.index_name = p.index_name AND w.list_date = p.list_date
           WHERE  w.index_name IS NULL
         )
)
SELECT DISTINCT e.symbol, e.period_end
FROM   past.earnings AS e
       JOIN assumed AS a ON a.session - e.day_0 BETWEEN 0 AND 6
