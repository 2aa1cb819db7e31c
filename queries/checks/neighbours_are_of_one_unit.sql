-- No figure lies a power of ten off the periods before and after it.
--
-- Of revenue, assets and paid-up capital: ten times and more above or below both neighbours, and within a factor of two of them
-- once that power of ten is taken out. A filing in another unit looks like this.
--
-- severity: note
-- identity: yes
WITH newest AS (
  SELECT symbol, basis, period_type, period_end, line, last_value(value ORDER BY filed_at NULLS FIRST) AS value
  FROM   statement_lines
  WHERE  line IN ('revenue', 'total_assets', 'share_capital')
  GROUP  BY symbol, basis, period_type, period_end, line
),
neighbours AS (
  SELECT symbol, basis, period_type, period_end, line, value,
         lag(value)  OVER series AS value_before,
         lead(value) OVER series AS value_after
  FROM   newest
  WHERE  value > 0
  WINDOW series AS (PARTITION BY symbol, basis, period_type, line ORDER BY period_end)
),
powers AS (
  SELECT symbol, basis, period_type, period_end, line, value, value_before, value_after,
         log10(value / value_before) AS above_before,
         log10(value / value_after)  AS above_after
  FROM   neighbours
  WHERE  value_before > 0 AND value_after > 0
)
SELECT symbol, basis, period_type, period_end, line, value, value_before, value_after
FROM   powers
WHERE  abs(round(above_before)) >= 1
  AND  round(above_before) = round(above_after)
  AND  abs(above_before - round(above_before)) < 0.3
  AND  abs(above_after - round(above_after)) < 0.3
ORDER  BY symbol, period_end, basis, period_type, line
