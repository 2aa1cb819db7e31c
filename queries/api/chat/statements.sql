-- Chat: quarters or years of a company as reported: revenue, profit, margin, earnings a share, debt, cash flows, the newest first.
--
-- Figures are INR crore in India and USD million in the US. Consolidated figures stand before those of the company alone.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  period text = quarterly in (quarterly, annual) "Quarters, or years." e.g. annual
-- param:  limit  int = 8 in 1..40 "Periods to return." e.g. 4
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
-- us-prose: Figures are USD million. Consolidated figures stand before those of the company alone.
-- us-param: symbol text "Ticker of the company." e.g. BAQEBO
SELECT symbol,
       period,
       revenue / 1e7    AS sales_cr, -- only india
       pat / 1e7        AS profit_cr, -- only india
       total_debt / 1e7 AS debt_cr, -- only india
       cfo / 1e7        AS cash_flow_cr, -- only india
       revenue / 1e6    AS sales_cr, -- only us
       pat / 1e6        AS profit_cr, -- only us
       total_debt / 1e6 AS debt_cr, -- only us
       cfo / 1e6        AS cash_flow_cr, -- only us
       opm_pct,
       eps_diluted,
       CASE WHEN equity > 0 THEN total_debt / equity END AS debt_to_equity,
       basis,
       announced_on,
       period_end
FROM   statements
WHERE  symbol = $symbol
AND    period_type = $period
AND    announced_on <= as_of()
ORDER  BY period_end DESC
LIMIT  $limit
