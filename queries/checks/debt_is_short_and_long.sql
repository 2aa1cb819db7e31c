-- Debt is what is due within a year and what is due later.
--
-- To a two-hundredth of the debt.
--
-- severity: note
-- identity: yes
WITH newest AS (
  SELECT symbol, basis, period_type, period_end, line, last_value(value ORDER BY filed_at NULLS FIRST) AS value
  FROM   statement_lines
  WHERE  line IN ('total_debt', 'short_term_debt', 'long_term_debt')
  GROUP  BY symbol, basis, period_type, period_end, line
),
sheets AS (
  SELECT symbol, basis, period_type, period_end,
         max(value) FILTER (WHERE line = 'total_debt') AS total_debt,
         max(value) FILTER (WHERE line = 'short_term_debt') AS short_term_debt,
         max(value) FILTER (WHERE line = 'long_term_debt') AS long_term_debt
  FROM   newest
  GROUP  BY symbol, basis, period_type, period_end
)
SELECT symbol, basis, period_type, period_end, total_debt, short_term_debt, long_term_debt
FROM   sheets
WHERE  abs(total_debt - short_term_debt - long_term_debt) > 0.005 * abs(total_debt)
ORDER  BY symbol, period_end, basis
