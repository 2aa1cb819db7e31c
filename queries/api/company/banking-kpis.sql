-- Banking figures of a bank or lender by quarter, the newest first.
--
-- A company that is neither has no rows. A company of which a file of your own has rows has these; any other has what
-- it filed with its results: loans, deposits, net interest and bad loans.
--
-- tool:   get_banking_kpis
-- tier:   api_pro
-- group:  Company Intel
-- answer: list
-- optional: banking_kpis, filed_bank_figures
-- param:  symbol  text "Symbol of the company on NSE." e.g. GEXALUBANK
-- column: quarter text "Quarter by its last month, such as Jun 2026."
WITH kpis AS (
    SELECT symbol, period_end, lender_type, advances_cr, deposits_cr, nii_cr, nim_pct, casa_pct, gnpa_pct, nnpa_pct, pcr_pct, slippage_pct,
           credit_cost_pct, credit_growth_pct, deposit_growth_pct, credit_deposit_pct, cost_to_income_pct, capital_adequacy_pct,
           filed_on, source
    FROM   banking_kpis
    WHERE  symbol = $symbol
    UNION  ALL
    SELECT symbol, period_end, lender_type, advances_cr, deposits_cr, nii_cr, NULL, NULL, gnpa_pct, nnpa_pct, pcr_pct, NULL,
           NULL, credit_growth_pct, deposit_growth_pct, credit_deposit_pct, NULL, NULL,
           filed_on, source
    FROM   filed_bank_figures
    WHERE  symbol = $symbol
    AND    NOT EXISTS (SELECT 1 FROM banking_kpis WHERE symbol = $symbol)
)
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
FROM   kpis k
LEFT   JOIN companies c ON c.symbol = k.symbol
WHERE  COALESCE(k.filed_on, k.period_end) <= as_of()
ORDER  BY k.period_end DESC
