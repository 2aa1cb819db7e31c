-- The company took its symbol or name of today after the day: rows under the one before are joined with it since.
--
-- kind:   assumed
-- tables: statement_lines, reported_periods, statements, quarter_changes, compared_quarters, earnings, ecs_rankings, filed_bank_figures, banking_kpis, shareholding
SELECT DISTINCT symbol
FROM   whole.former_names
WHERE  until > (SELECT max(session) FROM past.sessions)
