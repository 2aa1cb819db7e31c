-- Four quarters of revenue and profit add up to their year.
--
-- To a fiftieth of the year's revenue: audits change the quarters a little, and some are filed again with the year alone.
--
-- severity: note
-- identity: yes
WITH newest AS (
  SELECT symbol, basis, period_type, period_end, line, last_value(value ORDER BY filed_at NULLS FIRST) AS value
  FROM   statement_lines
  WHERE  line IN ('revenue', 'pat')
  GROUP  BY symbol, basis, period_type, period_end, line
),
quarters AS (
  SELECT symbol, basis, line, period_end,
         sum(value) OVER year AS together, count(*) OVER year AS quarters, min(period_end) OVER year AS first_end
  FROM   newest
  WHERE  period_type = 'quarterly'
  WINDOW year AS (PARTITION BY symbol, basis, line ORDER BY period_end ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)
),
years AS (
  SELECT y.symbol, y.basis, y.line, y.period_end, y.value, q.together,
         max(CASE WHEN y.line = 'revenue' THEN abs(y.value) END)
           OVER (PARTITION BY y.symbol, y.basis, y.period_end) AS revenue
  FROM   newest AS y
         JOIN quarters AS q
           ON q.symbol = y.symbol AND q.basis = y.basis AND q.line = y.line AND q.period_end = y.period_end
  WHERE  y.period_type = 'annual'
    AND  q.quarters = 4
    AND  q.period_end - q.first_end BETWEEN 265 AND 285
)
SELECT symbol, basis, period_end, line, value AS of_the_year, together AS of_the_quarters
FROM   years
WHERE  abs(value - together) > 0.02 * revenue
ORDER  BY symbol, period_end, basis, line
