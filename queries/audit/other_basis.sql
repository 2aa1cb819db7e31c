-- The company began or ended to publish consolidated accounts after the day, and its whole series is of the other basis.
--
-- kind:   restated
-- tables: statements, reported_periods, quarter_changes, compared_quarters, earnings, ecs_rankings
SELECT DISTINCT p.symbol
FROM   past.reported_periods AS p
       JOIN whole.reported_periods AS w
         ON w.symbol = p.symbol AND w.period_type = p.period_type AND w.period_end = p.period_end
WHERE  w.basis <> p.basis
