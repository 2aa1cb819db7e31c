-- Financial statements of a US company by year or quarter, the newest first: income, balance sheet or cash flow, or all of them.
--
-- Money is in whole dollars. Figures are the newest version on file; a figure that a company does not publish is null.
--
-- tool:   us_get_financials
-- tier:   api_pro
-- group:  US Markets
-- answer: list
-- optional: business_kinds
-- param:  symbol      text "Ticker of the company." e.g. BAQEBO
-- param:  statement   text = income in (income, balance, cashflow, all) "Statement to return." e.g. all
-- param:  period_type text = annual in (annual, quarterly) "Length of the periods." e.g. quarterly
-- param:  periods     int = 5 in 1..20 "Periods to return, the newest first." e.g. 4
-- column: cor           number? money  "Cost of the goods and services sold."
-- column: gp            number? money  "Gross profit."
-- column: depamor       number? money  "Depreciation and amortisation."
-- column: intexp        number? money  "Interest expense."
-- column: ebt           number? money  "Profit before tax."
-- column: taxexp        number? money  "Tax on the profit."
-- column: netinc        number? money  "Net income of the parent's owners."
-- column: epsdil        number? price  "Diluted earnings a share, adjusted for later splits."
-- column: shareswadil   number? shares "Mean diluted shares of the period, adjusted for later splits."
-- column: dps           number? price  "Dividend a share, adjusted for later splits."
-- column: ncfo          number? money  "Net cash flow from operations."
-- column: assets        number? money  "Total assets."
-- column: assetsc       number? money  "Current assets."
-- column: cashneq       number? money  "Cash and cash equivalents."
-- column: inventory     number? money  "Inventories."
-- column: ppnenet       number? money  "Property, plant and equipment."
-- column: liabilities   number? money  "All liabilities."
-- column: liabilitiesc  number? money  "Current liabilities."
-- column: debt          number? money  "Debt, short and long."
-- column: debtc         number? money  "Debt due within a year."
-- column: debtnc        number? money  "Debt due after a year."
-- column: retearn       number? money  "Retained earnings."
-- column: fcf           number? money  "Free cash flow: cash flow from operations less capital expenditure; null for lenders and insurers."
-- column: ncfi          number? money  "Net cash flow from investing."
-- column: ncff          number? money  "Net cash flow from financing."
-- column: ncfdiv        number? money  "Dividends paid."
-- column: ncf           number? money  "Change of cash over the period."

-- when: statement = income
-- picture: bars title="Revenue and profit" period=period value=revenue:"Revenue",netinc:"Net income" end=period_end
-- when: statement = balance
-- picture: bars title="Assets and equity" period=period value=assets:"Assets",equity:"Equity" end=period_end
-- when: statement = cashflow
-- picture: bars title="Cash flow" period=period value=ncfo:"From operations",fcf:"Free cash flow" end=period_end
-- when: statement = all
-- picture: bars title="Revenue and profit" period=period value=revenue:"Revenue",netinc:"Net income" end=period_end
SELECT t.symbol,
       period,
       period_end,
       period_type,
-- only income, all
       revenue,
       cost_of_goods       AS cor,
       gross_profit        AS gp,
       ebitda,
       depreciation        AS depamor,
       ebit,
       interest            AS intexp,
       profit_before_tax   AS ebt,
       tax                 AS taxexp,
       pat                 AS netinc,
       eps_basic,
       eps_diluted         AS epsdil,
       shares_diluted      AS shareswadil,
       dividend_per_share  AS dps,
       opm_pct,
-- all
       cfo                 AS ncfo, -- only income, cashflow, all
       capex, -- only income, cashflow, all
       CASE WHEN COALESCE(k.business_kind, 'other') = 'other' THEN fcf END AS fcf, -- only income, cashflow, all
-- only balance, all
       total_assets        AS assets,
       current_assets      AS assetsc,
       cash                AS cashneq,
       investments,
       receivables,
       inventories         AS inventory,
       fixed_assets        AS ppnenet,
       intangibles,
       total_liabilities   AS liabilities,
       current_liabilities AS liabilitiesc,
       payables,
       total_debt          AS debt,
       short_term_debt     AS debtc,
       long_term_debt      AS debtnc,
       minority_interest,
       retained_earnings   AS retearn,
       equity,
       shares_outstanding,
-- only cashflow, all
       cfi                 AS ncfi,
       cff                 AS ncff,
       dividends_paid      AS ncfdiv,
       net_cash_flow       AS ncf,
-- all
       currency,
       months,
       wrong_unit,
       announced_on,
       filed_assumed,
       restated_on,
       source
FROM   statements t
LEFT   JOIN business_kinds k ON k.symbol = t.symbol -- only income, cashflow, all
WHERE  t.symbol = $symbol
AND    period_type = $period_type
AND    age <= $periods
ORDER  BY period_end DESC
