-- Chat: quarters or years of a company as reported: revenue, profit, margin, earnings a share, debt, cash flows, the newest first.
--
-- Figures are INR crore in India and USD million in the US. Consolidated figures come before those of the company alone.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  period text = quarterly in (quarterly, annual) "Quarters, or years." e.g. annual
-- param:  limit  int = 8 in 1..40 "Periods to return, if `from` is left out." e.g. 4
-- param:  from   date? "Only periods that end on this day or later, up to 40." e.g. 2025-04-01
-- param:  to     date? "Only periods that end on this day or earlier." e.g. 2026-03-31
-- constraint: `from` is not after `to`.
-- india-column: sales_cr number? inr_crore "Revenue from operations."
-- india-column: profit_cr number? inr_crore "Profit after tax that belongs to the parent's owners."
-- india-column: debt_cr number? inr_crore "Debt, short and long."
-- india-column: cash_flow_cr number? inr_crore "Cash flow from operations."
-- us-column: sales_m     number? usd_million "Revenue from operations."
-- us-column: profit_m    number? usd_million "Profit after tax that belongs to the parent's owners."
-- us-column: debt_m      number? usd_million "Debt, short and long."
-- us-column: cash_flow_m number? usd_million "Cash flow from operations."
-- column: debt_to_equity number? ratio "Debt over the equity of the parent's owners."
-- also:   us
-- us-names: sales_cr = sales_m, profit_cr = profit_m, debt_cr = debt_m, cash_flow_cr = cash_flow_m
-- us-prose: Figures are USD million. Consolidated figures come before those of the company alone.
-- us-param: symbol text "Ticker of the company." e.g. BAQEBO
WITH periods AS (
    SELECT *, ROW_NUMBER() OVER (ORDER BY period_end DESC) AS place
    FROM   statements
    WHERE  symbol = $symbol
    AND    period_type = $period
    AND    announced_on <= as_of()
    AND    ($from IS NULL OR period_end >= $from)
    AND    ($to IS NULL OR period_end <= $to)
)
SELECT symbol,
       period,
       revenue / CASE WHEN market() = 'us' THEN 1e6 ELSE 1e7 END    AS sales_cr,
       pat / CASE WHEN market() = 'us' THEN 1e6 ELSE 1e7 END        AS profit_cr,
       total_debt / CASE WHEN market() = 'us' THEN 1e6 ELSE 1e7 END AS debt_cr,
       cfo / CASE WHEN market() = 'us' THEN 1e6 ELSE 1e7 END        AS cash_flow_cr,
       opm_pct,
       eps_diluted,
       CASE WHEN equity > 0 THEN total_debt / equity END AS debt_to_equity,
       basis,
       announced_on,
       period_end
FROM   periods
WHERE  place <= CASE WHEN $from IS NULL THEN $limit ELSE 40 END
ORDER  BY period_end DESC
