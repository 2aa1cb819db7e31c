-- Financial statements of a US company by year or quarter, the newest first: income, balance sheet or cash flow, or all of them.
--
-- Money is in whole dollars. Figures are the newest version on file; a figure that a company does not publish is null.
--
-- tool:   us_get_financials
-- tier:   api_pro
-- group:  US Markets
-- answer: list
-- own-page: company/{symbol}/financials statement
-- explore-page: company/{symbol}/financials
-- optional: business_kinds
-- also:   us/explore/statements
-- explore-title: Explorer: statements of a US company by quarter or year with the last four quarters and growth, the newest first
-- explore-prose: An operation of the explorer. The figures are those of `us/company/financials`. The first row, TTM, is the sum of the last
-- explore-prose: four quarters, if these follow each other; it has no balances, because these are those of the newest period. Growth is over
-- explore-prose: the same period a year before, of the TTM row over the four quarters before; it is null unless both figures are positive.
-- explore-tool:  none
-- explore-group: Explorer
-- param:  symbol      text "Ticker of the company." e.g. BAQEBO
-- own-param:  statement   text = income in (income, balance, cashflow, all) "Statement to return." e.g. all
-- param:  period_type text = annual in (annual, quarterly) "Length of the periods." e.g. quarterly
-- param:  periods     int = 5 in 1..1000000 "Periods to return, the newest first; all there are, where there are fewer." e.g. 4
-- explore-column: fiscal_label text? "Quarter of the company's financial year, such as Q1 FY27; of years, and after a changed financial year, the period; null for the last four quarters."
-- explore-column: sales_growth  number? pct "Growth of revenue over the same period a year before; null unless both are positive."
-- explore-column: ebitda_growth number? pct "Growth of EBITDA over the same period a year before; null unless both are positive."
-- explore-column: pat_growth    number? pct "Growth of profit after tax over the same period a year before; null unless both are positive."
-- explore-column: eps_growth    number? pct "Growth of diluted earnings a share over the same period a year before; null unless both are positive."
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

-- own-when: statement = income
-- own-omit: fiscal_label, sales_growth, ebitda_growth, pat_growth, eps_growth, assets, assetsc, cashneq, investments, receivables, inventory, ppnenet, intangibles, liabilities, liabilitiesc, payables, debt, debtc, debtnc, minority_interest, retearn, equity, shares_outstanding, ncfi, ncff, ncfdiv, ncf
-- own-picture: bars title="Revenue and profit" period=period value=revenue:"Revenue",netinc:"Net income" end=period_end
-- own-when: statement = balance
-- own-omit: fiscal_label, revenue, cor, gp, ebitda, depamor, ebit, intexp, ebt, taxexp, netinc, eps_basic, epsdil, shareswadil, dps, opm_pct, sales_growth, ebitda_growth, pat_growth, eps_growth, ncfo, capex, fcf, ncfi, ncff, ncfdiv, ncf
-- own-picture: bars title="Assets and equity" period=period value=assets:"Assets",equity:"Equity" end=period_end
-- own-when: statement = cashflow
-- own-omit: fiscal_label, revenue, cor, gp, ebitda, depamor, ebit, intexp, ebt, taxexp, netinc, eps_basic, epsdil, shareswadil, dps, opm_pct, sales_growth, ebitda_growth, pat_growth, eps_growth, assets, assetsc, cashneq, investments, receivables, inventory, ppnenet, intangibles, liabilities, liabilitiesc, payables, debt, debtc, debtnc, minority_interest, retearn, equity, shares_outstanding
-- own-picture: bars title="Cash flow" period=period value=ncfo:"From operations",fcf:"Free cash flow" end=period_end
-- own-when: statement = all
-- own-omit: fiscal_label, sales_growth, ebitda_growth, pat_growth, eps_growth
-- own-picture: bars title="Revenue and profit" period=period value=revenue:"Revenue",netinc:"Net income" end=period_end
-- explore-when: always
-- explore-picture: bars title="Revenue, profit and margin" period=fiscal_label value=revenue:"Revenue",netinc:"Net income" line=opm_pct:"Operating margin" growth=sales_growth:"growth of revenue" end=period_end
WITH quarters AS (
    -- A statement of the company alone has no row of the last four quarters and no growth.
    SELECT *, (age - 1) / 4 AS four
    FROM   statements
    WHERE  symbol = $symbol
    AND    period_type = 'quarterly'
    AND    age <= 8
    AND    $statement IS NULL
),
periods AS (
    SELECT symbol, period, period_end, period_type, age, basis, currency, months, wrong_unit, announced_on, filed_assumed, restated_on, source, opm_pct,
           COALESCE(quarter_index, 4 * fiscal_year) AS place, FALSE AS is_ttm,
           revenue, cost_of_goods, gross_profit, ebitda, depreciation, ebit, interest, profit_before_tax, tax, pat, eps_basic,
           eps_diluted, dividend_per_share, cfo, capex, fcf, cfi, cff, dividends_paid, net_cash_flow, shares_diluted,
           total_assets, current_assets, cash, investments, receivables, inventories, fixed_assets, intangibles,
           total_liabilities, current_liabilities, payables, total_debt, short_term_debt, long_term_debt, minority_interest,
           retained_earnings, equity, shares_outstanding
    FROM   statements
    WHERE  symbol = $symbol
    AND    period_type = $period_type
    UNION  ALL
    SELECT MAX(symbol), 'TTM', MAX(period_end), 'ttm', 0, MAX(basis), MAX(currency), 12, FALSE, MAX(announced_on), bool_or(filed_assumed), MAX(restated_on), MAX(source),
           CASE WHEN COUNT(ebitda) = 4 THEN 100 * SUM(ebitda) / NULLIF(SUM(revenue), 0) END,
           MAX(quarter_index), TRUE,
           CASE WHEN COUNT(revenue) = 4 THEN SUM(revenue) END,
           CASE WHEN COUNT(cost_of_goods) = 4 THEN SUM(cost_of_goods) END,
           CASE WHEN COUNT(gross_profit) = 4 THEN SUM(gross_profit) END,
           CASE WHEN COUNT(ebitda) = 4 THEN SUM(ebitda) END,
           CASE WHEN COUNT(depreciation) = 4 THEN SUM(depreciation) END,
           CASE WHEN COUNT(ebit) = 4 THEN SUM(ebit) END,
           CASE WHEN COUNT(interest) = 4 THEN SUM(interest) END,
           CASE WHEN COUNT(profit_before_tax) = 4 THEN SUM(profit_before_tax) END,
           CASE WHEN COUNT(tax) = 4 THEN SUM(tax) END,
           CASE WHEN COUNT(pat) = 4 THEN SUM(pat) END,
           CASE WHEN COUNT(eps_basic) = 4 THEN SUM(eps_basic) END,
           CASE WHEN COUNT(eps_diluted) = 4 THEN SUM(eps_diluted) END,
           CASE WHEN COUNT(dividend_per_share) = 4 THEN SUM(dividend_per_share) END,
           CASE WHEN COUNT(cfo) = 4 THEN SUM(cfo) END,
           CASE WHEN COUNT(capex) = 4 THEN SUM(capex) END,
           CASE WHEN COUNT(fcf) = 4 THEN SUM(fcf) END,
           CASE WHEN COUNT(cfi) = 4 THEN SUM(cfi) END,
           CASE WHEN COUNT(cff) = 4 THEN SUM(cff) END,
           CASE WHEN COUNT(dividends_paid) = 4 THEN SUM(dividends_paid) END,
           CASE WHEN COUNT(net_cash_flow) = 4 THEN SUM(net_cash_flow) END,
           NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM   quarters
    GROUP  BY four
    HAVING COUNT(*) = 4 AND MAX(quarter_index) - MIN(quarter_index) = 3 AND NOT bool_or(wrong_unit)
),
compared AS (
    SELECT t.*,
           CASE WHEN t.revenue > 0 AND b.revenue > 0 THEN 100 * (t.revenue / b.revenue - 1) END                 AS sales_growth,
           CASE WHEN t.ebitda > 0 AND b.ebitda > 0 THEN 100 * (t.ebitda / b.ebitda - 1) END                     AS ebitda_growth,
           CASE WHEN t.pat > 0 AND b.pat > 0 THEN 100 * (t.pat / b.pat - 1) END                                 AS pat_growth,
           CASE WHEN t.eps_diluted > 0 AND b.eps_diluted > 0 THEN 100 * (t.eps_diluted / b.eps_diluted - 1) END AS eps_growth
    FROM   periods t
    LEFT   JOIN (SELECT * FROM periods WHERE $statement IS NULL) b ON b.place = t.place - 4 AND b.is_ttm = t.is_ttm AND b.months = t.months AND NOT b.wrong_unit AND NOT t.wrong_unit
),
year_end AS (
    -- The calendar quarter in which the newest financial year ends; after a changed year the older quarters would get wrong names.
    SELECT MAX(CASE WHEN age = 1 THEN 4 * CAST(date_part('year', period_end - 45) AS BIGINT) + CAST(date_part('quarter', period_end - 45) AS BIGINT) END) AS last_quarter,
           MAX(CASE WHEN age = 1 THEN fiscal_year END) AS fiscal_year
    FROM   statements
    WHERE  symbol = $symbol
    AND    period_type = 'annual'
    AND    age <= 4
    AND    $statement IS NULL
    HAVING MIN(months) = 12 AND MAX(months) = 12
)
SELECT t.symbol,
       period,
       period_end,
       CASE WHEN is_ttm THEN NULL
            -- 400 quarters more, as divisions of negative numbers round to 0.
            WHEN period_type = 'quarterly' AND y.last_quarter IS NOT NULL THEN
                'Q' || CAST((place - y.last_quarter + 399) % 4 + 1 AS TEXT)
                || ' FY' || lpad(CAST((y.fiscal_year + (place - y.last_quarter + 403) / 4 - 100) % 100 AS TEXT), 2, '0')
            ELSE period
       END AS fiscal_label,
       period_type,
       revenue,
       sales_growth,
       cost_of_goods       AS cor,
       gross_profit        AS gp,
       ebitda,
       ebitda_growth,
       depreciation        AS depamor,
       ebit,
       interest            AS intexp,
       profit_before_tax   AS ebt,
       tax                 AS taxexp,
       pat                 AS netinc,
       pat_growth,
       eps_basic,
       eps_diluted         AS epsdil,
       eps_growth,
       shares_diluted      AS shareswadil,
       dividend_per_share  AS dps,
       opm_pct,
       cfo                 AS ncfo,
       capex,
       CASE WHEN COALESCE(k.business_kind, 'other') = 'other' THEN fcf END AS fcf,
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
       cfi                 AS ncfi,
       cff                 AS ncff,
       dividends_paid      AS ncfdiv,
       net_cash_flow       AS ncf,
       currency,
       months,
       wrong_unit,
       announced_on,
       filed_assumed,
       restated_on,
       source
FROM   compared t
LEFT   JOIN (SELECT * FROM business_kinds WHERE COALESCE($statement, 'all') <> 'balance') k ON k.symbol = t.symbol
LEFT   JOIN year_end y ON TRUE
WHERE  t.symbol = $symbol
AND    ($statement IS NOT NULL OR NOT is_ttm OR place = (SELECT MAX(quarter_index) FROM quarters))
AND    age <= $periods
ORDER  BY is_ttm DESC, period_end DESC
