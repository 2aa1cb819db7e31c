-- Results are filed after their period has ended, by companies of the market.
--
-- severity: note
SELECT l.symbol, l.period_type, l.period_end, l.filed_at, count(*) AS lines
FROM   statement_lines AS l
       LEFT JOIN companies AS c ON c.symbol = l.symbol
WHERE  l.filed_at <= l.period_end
   OR  c.symbol IS NULL
GROUP  BY l.symbol, l.period_type, l.period_end, l.filed_at
ORDER  BY l.symbol, l.period_end
