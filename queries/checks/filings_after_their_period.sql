-- Results are filed after their period has ended.
--
-- A filing repeats figures of an older period as comparisons, so they may be filed years later.
--
-- severity: note
SELECT symbol, period_type, period_end, filed_at, count(*) AS lines
FROM   statement_lines
WHERE  filed_at <= period_end
GROUP  BY symbol, period_type, period_end, filed_at
ORDER  BY symbol, period_end
