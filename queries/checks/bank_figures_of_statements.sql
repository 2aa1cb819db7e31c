-- A bank's loans, deposits and net interest are those of its balance sheet and income, where both are on file.
--
-- To a hundredth.
--
-- market: india
-- severity: note
SELECT k.symbol, k.period_end, k.advances_cr, s.advances_to_customers / 1e7 AS statement_advances_cr,
       k.deposits_cr, s.deposits / 1e7 AS statement_deposits_cr, k.nii_cr, s.net_interest_income / 1e7 AS statement_nii_cr
FROM   banking_kpis AS k
       JOIN statements AS s ON s.symbol = k.symbol AND s.period_end = k.period_end AND s.period_type = 'quarterly'
WHERE  abs(k.advances_cr - s.advances_to_customers / 1e7) > 0.01 * k.advances_cr
   OR  abs(k.deposits_cr - s.deposits / 1e7) > 0.01 * k.deposits_cr
   OR  abs(k.nii_cr - s.net_interest_income / 1e7) > 0.01 * abs(k.nii_cr)
ORDER  BY k.symbol, k.period_end
