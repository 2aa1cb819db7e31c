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
WITH given AS (
    SELECT * FROM banking_kpis WHERE symbol = $symbol AND COALESCE(filed_on, period_end) <= as_of()
),
filed AS (
    SELECT *
    FROM   filed_bank_figures
    WHERE  symbol = $symbol
    AND    COALESCE(filed_on, period_end) <= as_of()
    -- Figures that `parquote write` read from documents are no file of your own: they fill the gaps of the filed ones.
    AND    NOT EXISTS (SELECT 1 FROM banking_kpis WHERE symbol = $symbol AND COALESCE(source, '') NOT LIKE '%, prompt banking_kpis %')
),
kpis AS (
    SELECT COALESCE(f.symbol, r.symbol) AS symbol,
           COALESCE(f.period_end, r.period_end) AS period_end,
           COALESCE(f.lender_type, r.lender_type) AS lender_type,
           COALESCE(f.advances_cr, r.advances_cr) AS advances_cr,
           COALESCE(f.deposits_cr, r.deposits_cr) AS deposits_cr,
           COALESCE(f.nii_cr, r.nii_cr) AS nii_cr,
           r.nim_pct,
           r.casa_pct,
           COALESCE(f.gnpa_pct, r.gnpa_pct) AS gnpa_pct,
           COALESCE(f.nnpa_pct, r.nnpa_pct) AS nnpa_pct,
           COALESCE(f.pcr_pct, r.pcr_pct) AS pcr_pct,
           r.slippage_pct,
           r.credit_cost_pct,
           COALESCE(f.credit_growth_pct, r.credit_growth_pct) AS credit_growth_pct,
           COALESCE(f.deposit_growth_pct, r.deposit_growth_pct) AS deposit_growth_pct,
           COALESCE(f.credit_deposit_pct, r.credit_deposit_pct) AS credit_deposit_pct,
           r.cost_to_income_pct,
           r.capital_adequacy_pct,
           COALESCE(f.filed_on, r.filed_on) AS filed_on,
           NULLIF(CONCAT_WS(', ', f.source, r.source), '') AS source
    FROM   filed f
    FULL   JOIN given r ON r.period_end = f.period_end
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
ORDER  BY k.period_end DESC
