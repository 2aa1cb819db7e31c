-- Banking figures of a bank or lender by quarter, the newest first.
--
-- A company that is neither has no rows.
--
-- tool:   get_banking_kpis
-- tier:   api_pro
-- group:  Company Intel
-- answer: list
-- optional: banking_kpis
-- param:  symbol  text "Symbol of the company on NSE." e.g. GEXALUBANK
-- column: quarter text "Quarter by its last month, such as Jun 2026."
SELECT k.symbol,
       c.company_name,
       to_char(k.period_end - 14, '%b %Y') AS quarter,
       k.period_end,
       k.lender_type,
       k.advances_cr,
       k.deposits_cr,
       k.nii_cr,
       k.nim_pct,
       k.casa_pct,
       k.gnpa_pct,
       k.nnpa_pct,
       k.pcr_pct,
       k.slippage_pct,
       k.credit_cost_pct,
       k.credit_growth_pct,
       k.deposit_growth_pct,
       k.credit_deposit_pct,
       k.cost_to_income_pct,
       k.capital_adequacy_pct,
       k.filed_on,
       k.source
FROM   banking_kpis k
LEFT   JOIN companies c ON c.symbol = k.symbol
WHERE  k.symbol = $symbol
AND    COALESCE(k.filed_on, k.period_end) <= as_of()
ORDER  BY k.period_end DESC
