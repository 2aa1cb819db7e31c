-- Assets, shares and costs are not below zero, and plant, cash and debt are parts of a whole.
--
-- severity: note
WITH newest AS (
  SELECT symbol, basis, period_type, period_end, line, last_value(value ORDER BY filed_at NULLS FIRST) AS value
  FROM   statement_lines
  WHERE  statement = 'balance'
  GROUP  BY symbol, basis, period_type, period_end, line
),
sheets AS (
  SELECT symbol, basis, period_type, period_end,
         max(value) FILTER (WHERE line = 'total_assets') AS total_assets,
         max(value) FILTER (WHERE line = 'current_assets') AS current_assets,
         max(value) FILTER (WHERE line = 'fixed_assets') AS fixed_assets,
         max(value) FILTER (WHERE line = 'cash') AS cash,
         max(value) FILTER (WHERE line = 'total_debt') AS total_debt,
         max(value) FILTER (WHERE line = 'total_liabilities') AS total_liabilities,
         max(value) FILTER (WHERE line = 'shares_outstanding') AS shares_outstanding
  FROM   newest
  GROUP  BY symbol, basis, period_type, period_end
)
SELECT symbol, basis, period_type, period_end, total_assets, current_assets, fixed_assets, cash, total_debt,
       total_liabilities, shares_outstanding
FROM   sheets
WHERE  total_assets < 0
   OR  fixed_assets < 0
   OR  total_debt < 0
   OR  shares_outstanding <= 0
   OR  cash > 1.001 * total_assets
   OR  current_assets > 1.001 * total_assets
   OR  fixed_assets > 1.001 * total_assets
   OR  total_debt > 1.001 * total_liabilities
ORDER  BY symbol, period_end, basis
