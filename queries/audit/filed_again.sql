-- The period was filed again after the day, also where the figures stay the same: its newest filing is a later one.
--
-- kind:    restated
-- tables:  statements, reported_periods
-- columns: restated_on, filed_last, source
SELECT DISTINCT symbol, period_end
FROM   whole.statement_lines
WHERE  known_from > (SELECT max(session) FROM past.sessions)
