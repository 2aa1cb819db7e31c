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
-- page:     company/{symbol}/financials period
-- own-omit: fiscal_label, sales_growth, ebitda_growth, pat_growth, eps_growth
-- own-picture: bars title="Sales and profit" period=period value=sales_cr:"Sales",pat_cr:"Profit after tax" end=period_end
-- explore-picture: bars title="Sales, profit and margin" period=fiscal_label value=sales_cr:"Sales",pat_cr:"Profit after tax" line=opm_pct:"Operating margin" growth=sales_growth:"growth of sales" end=period_end
-- optional: business_kinds
-- free-symbols: yes
-- also:   explore/statements
-- explore-title: Explorer: statements of a company by quarter or year with the last four quarters and growth, the newest first
-- explore-prose: An operation of the explorer. The figures are those of `company/financials`. The first row, TTM, is the sum of the last four
-- explore-prose: quarters, if these follow each other; it has no balances, because these are those of the newest period. Growth is over
-- explore-prose: the same period a year before, of the TTM row over the four quarters before; it is null unless both figures are positive.
-- explore-tool:  none
-- explore-group: Explorer
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  period text = quarterly in (quarterly, annual) "Length of the periods." e.g. annual
-- explore-param: last int = 12 in 1..12 "Periods to return, the newest first, beside the TTM row." e.g. 5
-- own-param:  limit  int? in 1..12 "Periods to return, the newest first; if omitted, the last 12." e.g. 5
-- explore-column: fiscal_label text? "Quarter of the company's financial year, such as Q1 FY27; of years, and after a changed financial year, the period; null for the last four quarters."
-- explore-column: sales_growth  number? pct "Growth of revenue over the same period a year before; null unless both are positive."
-- explore-column: ebitda_growth number? pct "Growth of EBITDA over the same period a year before; null unless both are positive."
-- explore-column: pat_growth    number? pct "Growth of profit after tax over the same period a year before; null unless both are positive."
-- explore-column: eps_growth    number? pct "Growth of diluted earnings a share over the same period a year before; null unless both are positive."
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
WITH quarters AS (
    -- Without `last` there is no row of the last four quarters and no growth.
    SELECT *, (age - 1) / 4 AS four
    FROM   statements
    WHERE  symbol = $symbol
    AND    period_type = 'quarterly'
    AND    age <= 8
    AND    $last IS NOT NULL
),
periods AS (
    SELECT symbol, period, period_end, period_type, age, basis, currency, months, wrong_unit, announced_on, filed_assumed, restated_on, source, opm_pct,
           COALESCE(quarter_index, 4 * fiscal_year) AS place, FALSE AS is_ttm,
           revenue, other_income, ebitda, depreciation, interest, profit_before_tax, tax, pat, eps_basic, eps_diluted,
           dividend_per_share, net_interest_income, provisions, cfo, capex, cfi, cff, net_cash_flow, fcf, total_assets,
           fixed_assets, investments, cash, receivables, inventories, current_assets, current_liabilities, total_debt,
           total_liabilities, share_capital, reserves, equity, shares_outstanding
    FROM   statements
    WHERE  symbol = $symbol
    AND    period_type = $period
    UNION  ALL
    SELECT MAX(symbol), 'TTM', MAX(period_end), 'ttm', 0, MAX(basis), MAX(currency), 12, FALSE, MAX(announced_on), bool_or(filed_assumed), MAX(restated_on), MAX(source),
           CASE WHEN COUNT(ebitda) = 4 THEN 100 * SUM(ebitda) / NULLIF(SUM(revenue), 0) END,
           MAX(quarter_index), TRUE,
           CASE WHEN COUNT(revenue) = 4 THEN SUM(revenue) END,
           CASE WHEN COUNT(other_income) = 4 THEN SUM(other_income) END,
           CASE WHEN COUNT(ebitda) = 4 THEN SUM(ebitda) END,
           CASE WHEN COUNT(depreciation) = 4 THEN SUM(depreciation) END,
           CASE WHEN COUNT(interest) = 4 THEN SUM(interest) END,
           CASE WHEN COUNT(profit_before_tax) = 4 THEN SUM(profit_before_tax) END,
           CASE WHEN COUNT(tax) = 4 THEN SUM(tax) END,
           CASE WHEN COUNT(pat) = 4 THEN SUM(pat) END,
           CASE WHEN COUNT(eps_basic) = 4 THEN SUM(eps_basic) END,
           CASE WHEN COUNT(eps_diluted) = 4 THEN SUM(eps_diluted) END,
           CASE WHEN COUNT(dividend_per_share) = 4 THEN SUM(dividend_per_share) END,
           CASE WHEN COUNT(net_interest_income) = 4 THEN SUM(net_interest_income) END,
           CASE WHEN COUNT(provisions) = 4 THEN SUM(provisions) END,
           CASE WHEN COUNT(cfo) = 4 THEN SUM(cfo) END,
           CASE WHEN COUNT(capex) = 4 THEN SUM(capex) END,
           CASE WHEN COUNT(cfi) = 4 THEN SUM(cfi) END,
           CASE WHEN COUNT(cff) = 4 THEN SUM(cff) END,
           CASE WHEN COUNT(net_cash_flow) = 4 THEN SUM(net_cash_flow) END,
           CASE WHEN COUNT(fcf) = 4 THEN SUM(fcf) END,
           NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
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
    LEFT   JOIN (SELECT * FROM periods WHERE $last IS NOT NULL) b ON b.place = t.place - 4 AND b.is_ttm = t.is_ttm AND b.months = t.months AND NOT b.wrong_unit AND NOT t.wrong_unit
),
year_end AS (
    -- The calendar quarter in which the newest financial year ends; after a changed year the older quarters would get wrong names.
    SELECT MAX(CASE WHEN age = 1 THEN 4 * CAST(date_part('year', period_end - 45) AS BIGINT) + CAST(date_part('quarter', period_end - 45) AS BIGINT) END) AS last_quarter,
           MAX(CASE WHEN age = 1 THEN fiscal_year END) AS fiscal_year
    FROM   statements
    WHERE  symbol = $symbol
    AND    period_type = 'annual'
    AND    age <= 4
    AND    $last IS NOT NULL
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
       basis,
       currency,
       revenue / 1e7             AS sales_cr,
       sales_growth,
       other_income / 1e7        AS other_income_cr,
       ebitda / 1e7              AS ebitda_cr,
       ebitda_growth,
       opm_pct,
       depreciation / 1e7        AS depreciation_cr,
       interest / 1e7            AS interest_cr,
       profit_before_tax / 1e7   AS profit_before_tax_cr,
       tax / 1e7                 AS tax_cr,
       pat / 1e7                 AS pat_cr,
       pat_growth,
       eps_basic,
       eps_diluted,
       eps_growth,
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
FROM   compared t
LEFT   JOIN business_kinds k ON k.symbol = t.symbol
LEFT   JOIN year_end y ON TRUE
WHERE  t.symbol = $symbol
AND    ($last IS NULL OR NOT is_ttm OR place = (SELECT MAX(quarter_index) FROM quarters))
AND    age <= COALESCE($last, $limit, 12)
ORDER  BY is_ttm DESC, period_end DESC
