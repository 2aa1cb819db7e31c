-- Financial statements of a company by quarter or year, the newest first: profit and loss, balance sheet, cash flow.
--
-- Figures are consolidated if the company publishes consolidated accounts, in the newest version on file. A figure that a company does not
-- publish for a period is null; most companies publish cash flows once a year and balance sheets every half-year. A year in which the
-- company changed its financial year has 15 `months`. Such a year and a filing in a wrong unit (`wrong_unit`) are in no ratio and no
-- growth.
--
-- tool:   get_financials
-- tier:   free
-- group:  Core
-- answer: list
-- picture: bars title="Sales and profit" period=period value=sales_cr:"Sales",pat_cr:"Profit after tax" end=period_end
-- optional: business_kinds
-- free-symbols: yes
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  period text = quarterly in (quarterly, annual) "Length of the periods." e.g. annual
-- param:  limit  int? in 1..12 "Periods to return, the newest first; left out, the last 12." e.g. 5
-- column: sales_cr               number? inr_crore "Revenue from operations."
-- column: other_income_cr        number? inr_crore "Income that is not from operations."
-- column: ebitda_cr              number? inr_crore "Operating profit before interest, tax, depreciation and other income."
-- column: depreciation_cr        number? inr_crore "Depreciation and amortisation."
-- column: interest_cr            number? inr_crore "Interest expense."
-- column: profit_before_tax_cr   number? inr_crore "Profit before tax."
-- column: tax_cr                 number? inr_crore "Tax on the profit."
-- column: pat_cr                 number? inr_crore "Profit after tax that belongs to the parent's owners."
-- column: net_interest_income_cr number? inr_crore "Interest earned less interest paid, of lenders."
-- column: provisions_cr          number? inr_crore "Provisions for bad loans, of lenders."
-- column: total_assets_cr        number? inr_crore "Total assets."
-- column: fixed_assets_cr        number? inr_crore "Property, plant and equipment."
-- column: investments_cr         number? inr_crore "Investments."
-- column: cash_cr                number? inr_crore "Cash and cash equivalents."
-- column: receivables_cr         number? inr_crore "Trade receivables."
-- column: inventories_cr         number? inr_crore "Inventories."
-- column: current_assets_cr      number? inr_crore "Current assets."
-- column: current_liabilities_cr number? inr_crore "Current liabilities."
-- column: total_debt_cr          number? inr_crore "Debt, short and long."
-- column: total_liabilities_cr   number? inr_crore "All liabilities."
-- column: share_capital_cr       number? inr_crore "Paid-up share capital."
-- column: reserves_cr            number? inr_crore "Reserves and surplus."
-- column: equity_cr              number? inr_crore "Equity of the parent's owners."
-- column: cfo_cr                 number? inr_crore "Cash flow from operations."
-- column: capex_cr               number? inr_crore "Capital expenditure; money spent is positive."
-- column: cfi_cr                 number? inr_crore "Cash flow from investing."
-- column: cff_cr                 number? inr_crore "Cash flow from financing."
-- column: net_cash_flow_cr       number? inr_crore "Change of cash over the period."
-- column: fcf_cr                 number? inr_crore "Cash flow from operations less capital expenditure; null for lenders and insurers."
SELECT t.symbol,
       period,
       period_end,
       basis,
       currency,
       revenue / 1e7             AS sales_cr,
       other_income / 1e7        AS other_income_cr,
       ebitda / 1e7              AS ebitda_cr,
       opm_pct,
       depreciation / 1e7        AS depreciation_cr,
       interest / 1e7            AS interest_cr,
       profit_before_tax / 1e7   AS profit_before_tax_cr,
       tax / 1e7                 AS tax_cr,
       pat / 1e7                 AS pat_cr,
       eps_basic,
       eps_diluted,
       dividend_per_share,
       net_interest_income / 1e7 AS net_interest_income_cr,
       provisions / 1e7          AS provisions_cr,
       total_assets / 1e7        AS total_assets_cr,
       fixed_assets / 1e7        AS fixed_assets_cr,
       investments / 1e7         AS investments_cr,
       cash / 1e7                AS cash_cr,
       receivables / 1e7         AS receivables_cr,
       inventories / 1e7         AS inventories_cr,
       current_assets / 1e7      AS current_assets_cr,
       current_liabilities / 1e7 AS current_liabilities_cr,
       total_debt / 1e7          AS total_debt_cr,
       total_liabilities / 1e7   AS total_liabilities_cr,
       share_capital / 1e7       AS share_capital_cr,
       reserves / 1e7            AS reserves_cr,
       equity / 1e7              AS equity_cr,
       shares_outstanding,
       cfo / 1e7                 AS cfo_cr,
       capex / 1e7               AS capex_cr,
       cfi / 1e7                 AS cfi_cr,
       cff / 1e7                 AS cff_cr,
       net_cash_flow / 1e7       AS net_cash_flow_cr,
       CASE WHEN COALESCE(k.business_kind, 'other') = 'other' THEN fcf / 1e7 END AS fcf_cr,
       months,
       wrong_unit,
       announced_on,
       filed_assumed,
       restated_on,
       source
FROM   statements t
LEFT   JOIN business_kinds k ON k.symbol = t.symbol
WHERE  t.symbol = $symbol
AND    period_type = $period
AND    age <= COALESCE($limit, 12)
ORDER  BY period_end DESC
