-- The change of cash is what operations, investments and financing brought together.
--
-- To a hundredth of the largest of the three, as changes of currencies are outside of them.
--
-- severity: note
WITH newest AS (
  SELECT symbol, basis, period_type, period_end, line, last_value(value ORDER BY filed_at NULLS FIRST) AS value
  FROM   statement_lines
  WHERE  statement = 'cashflow'
  GROUP  BY symbol, basis, period_type, period_end, line
),
flows AS (
  SELECT symbol, basis, period_type, period_end,
         max(value) FILTER (WHERE line = 'cfo') AS cfo,
         max(value) FILTER (WHERE line = 'cfi') AS cfi,
         max(value) FILTER (WHERE line = 'cff') AS cff,
         max(value) FILTER (WHERE line = 'net_cash_flow') AS net_cash_flow
  FROM   newest
  GROUP  BY symbol, basis, period_type, period_end
)
SELECT symbol, basis, period_type, period_end, cfo, cfi, cff, net_cash_flow
FROM   flows
WHERE  abs(cfo + cfi + cff - net_cash_flow) > 0.01 * greatest(abs(cfo), abs(cfi), abs(cff))
ORDER  BY symbol, period_end, basis
