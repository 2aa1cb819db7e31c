-- The return after the announcement ends with a session after the day, and was null until then.
--
-- kind:    restated
-- tables:  earnings, ecs_rankings
-- columns: announcement_return
SELECT symbol, period_end
FROM   past.earnings
WHERE  announcement_return IS NULL
