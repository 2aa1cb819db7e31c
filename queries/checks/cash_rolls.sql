-- A year's cash is the cash of the year before and the year's net flow.
--
-- To a hundredth of the assets: reports count bank deposits and currencies on one side alone.
--
-- severity: note
WITH newest AS (
  SELECT symbol, basis, period_end, line, last_value(value ORDER BY filed_at NULLS FIRST) AS value
  FROM   statement_lines
  WHERE  period_type = 'annual' AND line IN ('cash', 'net_cash_flow', 'total_assets')
  GROUP  BY symbol, basis, period_end, line
),
years AS (
  SELECT symbol, basis, period_end,
         max(value) FILTER (WHERE line = 'cash') AS cash,
         max(value) FILTER (WHERE line = 'net_cash_flow') AS net_cash_flow,
         max(value) FILTER (WHERE line = 'total_assets') AS total_assets
  FROM   newest
  GROUP  BY symbol, basis, period_end
),
pairs AS (
  SELECT symbol, basis, period_end, cash, net_cash_flow, total_assets,
         lag(cash) OVER older AS cash_before,
         lag(period_end) OVER older AS end_before
  FROM   years
  WINDOW older AS (PARTITION BY symbol, basis ORDER BY period_end)
)
SELECT symbol, basis, period_end, cash_before, net_cash_flow, cash, cash - cash_before - net_cash_flow AS missing
FROM   pairs
WHERE  period_end - end_before BETWEEN 350 AND 380
  AND  abs(cash - cash_before - net_cash_flow) > 0.01 * total_assets
ORDER  BY symbol, period_end, basis
