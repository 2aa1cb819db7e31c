-- Statements: income, balance sheet and cash flow of every company, one row for each period.
--
-- Each line has the newest version that was filed by the market's date. A line without a filing date is taken to be known 45 days after a
-- quarter and 60 days after a year. A company's consolidated accounts are used if it still publishes them, otherwise the standalone ones;
-- one series never mixes the two. A fourth quarter that was not published is the year less the three quarters before it, and has the year's
-- balance sheet. Counts of shares and figures a share are adjusted for later splits and bonuses. If a file does not have them, EBIT, debt
-- and liabilities are computed from the lines that make them up; gross profit and EBITDA are computed before that, from the lines of one
-- filing.
--
-- A year whose revenue is that of five quarters has 15 months, whatever its filing says: the company changed its financial year. So it did
-- where a year does not end 350 to 380 days after the one before it, up to 700 days: it has the months between the two ends. A filing
-- has a wrong unit if its revenue and share capital both differ by the same power of ten from the periods beside it; the newest and the
-- oldest period are compared with the two next to them. Both kinds of periods stay as they were filed, and are in no ratio and no growth.
--
-- key:     symbol, period_type, period_end
-- sorted:  symbol, period_type, period_end
-- of-day: age
-- formula: statements 3
-- column: symbol              text
-- column: period_type         text
-- column: period_end          date
-- column: period              text          "Quarter by its last month, such as Jun 2026, or fiscal year, such as FY2026."
-- column: fiscal_year         int           "Calendar year in which the period ends; the first two weeks of January belong to the year before."
-- column: quarter_index       int?          "Number of the calendar quarter in which the middle of the quarter lies; one more each quarter. Null for years."
-- column: age                 int count     "Place of the period among those of its length, 1 is the newest."
-- column: months              int count     "Months of the period: 3 for a quarter, 12 for a year, others, such as 15, for a year in which the financial year was changed."
-- column: wrong_unit          bool          "Whether the filing is taken to have a wrong unit: revenue and share capital both differ by a power of ten from the periods beside it."
-- column: basis               text
-- column: currency            text
-- column: announced_on        date          "Day on which the period's figures were first filed, or are taken to have been known."
-- column: filed_assumed       bool          "Whether the filing day is not on file and was taken to be 45 days after a quarter or 60 after a year."
-- column: restated_on         date?         "Day of the newest filing, if the figures were filed again later."
-- column: source              text
-- column: revenue             number? money "Revenue from operations."
-- column: other_income        number? money "Income that is not from operations."
-- column: cost_of_goods       number? money "Cost of the goods and services sold."
-- column: gross_profit        number? money "Revenue less the cost of goods and services sold."
-- column: employee_cost       number? money "Pay and benefits of employees."
-- column: other_expenses      number? money "Other operating expenses."
-- column: ebitda              number? money "Operating profit before interest, tax, depreciation and other income."
-- column: depreciation        number? money "Depreciation and amortisation."
-- column: ebit                number? money "Operating profit before interest and tax."
-- column: interest            number? money "Interest expense."
-- column: exceptional_items   number? money "Exceptional items; a gain is positive."
-- column: profit_before_tax   number? money "Profit before tax."
-- column: tax                 number? money "Tax on the profit."
-- column: pat                 number? money "Profit after tax that belongs to the parent's owners."
-- column: eps_basic           number? price "Basic earnings a share, adjusted for later splits."
-- column: eps_diluted         number? price "Diluted earnings a share, adjusted for later splits."
-- column: shares_diluted      number? shares "Mean diluted shares of the period, adjusted for later splits."
-- column: dividend_per_share  number? price "Dividend a share, adjusted for later splits."
-- column: interest_earned     number? money "Interest that a lender earned."
-- column: interest_expended   number? money "Interest that a lender paid."
-- column: net_interest_income number? money "Interest earned less interest paid."
-- column: provisions          number? money "Provisions for bad loans."
-- column: cash                number? money "Cash and cash equivalents."
-- column: investments         number? money "Investments."
-- column: receivables         number? money "Trade receivables."
-- column: inventories         number? money "Inventories."
-- column: current_assets      number? money "Current assets."
-- column: fixed_assets        number? money "Property, plant and equipment."
-- column: intangibles         number? money "Goodwill and other intangible assets."
-- column: total_assets        number? money "Total assets."
-- column: payables            number? money "Trade payables."
-- column: current_liabilities number? money "Current liabilities."
-- column: short_term_debt     number? money "Debt due within a year."
-- column: long_term_debt      number? money "Debt due after a year."
-- column: total_debt          number? money "Debt, short and long."
-- column: total_liabilities   number? money "All liabilities."
-- column: minority_interest   number? money "Equity of others in subsidiaries."
-- column: share_capital       number? money "Paid-up share capital."
-- column: reserves            number? money "Reserves and surplus."
-- column: retained_earnings   number? money "Retained earnings."
-- column: equity              number? money "Equity of the parent's owners."
-- column: shares_outstanding  number? shares "Shares outstanding, adjusted for later splits."
-- column: advances_to_customers number? money "Loans that a bank has given."
-- column: deposits            number? money "Deposits that a bank holds."
-- column: gross_npa           number? money "Gross non-performing loans."
-- column: net_npa             number? money "Non-performing loans net of provisions."
-- column: tier1_pct           number? pct   "Tier 1 capital in percent of risk-weighted assets; null outside of 4 to 60, where a filing has another unit."
-- column: cfo                 number? money "Cash flow from operations."
-- column: capex               number? money "Capital expenditure; money spent is positive."
-- column: cfi                 number? money "Cash flow from investing."
-- column: cff                 number? money "Cash flow from financing."
-- column: dividends_paid      number? money "Dividends paid."
-- column: net_cash_flow       number? money "Change of cash over the period."
-- column: fcf                 number? money "Free cash flow: cash flow from operations less capital expenditure."
-- column: opm_pct             number? pct   "Operating margin: EBITDA before other income over revenue."
WITH quarterly AS (
    SELECT * FROM reported_periods WHERE period_type = 'quarterly'
),
yearly AS (
    SELECT * FROM reported_periods WHERE period_type = 'annual'
),
thirds AS (
    SELECT y.symbol,
           y.period_end,
           CASE WHEN COUNT(q.revenue) = 3 THEN SUM(q.revenue) END AS revenue,
           CASE WHEN COUNT(q.other_income) = 3 THEN SUM(q.other_income) END AS other_income,
           CASE WHEN COUNT(q.cost_of_goods) = 3 THEN SUM(q.cost_of_goods) END AS cost_of_goods,
           CASE WHEN COUNT(q.employee_cost) = 3 THEN SUM(q.employee_cost) END AS employee_cost,
           CASE WHEN COUNT(q.other_expenses) = 3 THEN SUM(q.other_expenses) END AS other_expenses,
           CASE WHEN COUNT(q.depreciation) = 3 THEN SUM(q.depreciation) END AS depreciation,
           CASE WHEN COUNT(q.ebit) = 3 THEN SUM(q.ebit) END AS ebit,
           CASE WHEN COUNT(q.interest) = 3 THEN SUM(q.interest) END AS interest,
           CASE WHEN COUNT(q.exceptional_items) = 3 THEN SUM(q.exceptional_items) END AS exceptional_items,
           CASE WHEN COUNT(q.profit_before_tax) = 3 THEN SUM(q.profit_before_tax) END AS profit_before_tax,
           CASE WHEN COUNT(q.tax) = 3 THEN SUM(q.tax) END AS tax,
           CASE WHEN COUNT(q.pat) = 3 THEN SUM(q.pat) END AS pat,
           CASE WHEN COUNT(q.eps_basic) = 3 THEN SUM(q.eps_basic) END AS eps_basic,
           CASE WHEN COUNT(q.eps_diluted) = 3 THEN SUM(q.eps_diluted) END AS eps_diluted,
           CASE WHEN COUNT(q.dividend_per_share) = 3 THEN SUM(q.dividend_per_share) END AS dividend_per_share,
           CASE WHEN COUNT(q.interest_earned) = 3 THEN SUM(q.interest_earned) END AS interest_earned,
           CASE WHEN COUNT(q.interest_expended) = 3 THEN SUM(q.interest_expended) END AS interest_expended,
           CASE WHEN COUNT(q.net_interest_income) = 3 THEN SUM(q.net_interest_income) END AS net_interest_income,
           CASE WHEN COUNT(q.provisions) = 3 THEN SUM(q.provisions) END AS provisions,
           CASE WHEN COUNT(q.cfo) = 3 THEN SUM(q.cfo) END AS cfo,
           CASE WHEN COUNT(q.capex) = 3 THEN SUM(q.capex) END AS capex,
           CASE WHEN COUNT(q.cfi) = 3 THEN SUM(q.cfi) END AS cfi,
           CASE WHEN COUNT(q.cff) = 3 THEN SUM(q.cff) END AS cff,
           CASE WHEN COUNT(q.dividends_paid) = 3 THEN SUM(q.dividends_paid) END AS dividends_paid,
           CASE WHEN COUNT(q.net_cash_flow) = 3 THEN SUM(q.net_cash_flow) END AS net_cash_flow
    FROM   yearly y
    JOIN   quarterly q ON q.symbol = y.symbol AND q.basis = y.basis AND q.currency = y.currency
           AND q.period_end BETWEEN y.period_end - 300 AND y.period_end - 60
    GROUP  BY y.symbol, y.period_end
),
fourths AS (
    SELECT y.symbol,
           y.period_end,
           y.basis,
           y.currency,
           y.source,
           y.revenue - t.revenue AS revenue,
           y.other_income - t.other_income AS other_income,
           y.cost_of_goods - t.cost_of_goods AS cost_of_goods,
           y.employee_cost - t.employee_cost AS employee_cost,
           y.other_expenses - t.other_expenses AS other_expenses,
           y.depreciation - t.depreciation AS depreciation,
           y.ebit - t.ebit AS ebit,
           y.interest - t.interest AS interest,
           y.exceptional_items - t.exceptional_items AS exceptional_items,
           y.profit_before_tax - t.profit_before_tax AS profit_before_tax,
           y.tax - t.tax AS tax,
           y.pat - t.pat AS pat,
           -- Where the year has other shares than its quarters (profit over earnings a share says it: a split that no file has), by the profit.
           CASE WHEN (y.pat / NULLIF(y.eps_basic, 0)) / NULLIF(t.pat / NULLIF(t.eps_basic, 0), 0) NOT BETWEEN 0.55 AND 1.9
                THEN CASE WHEN y.pat / NULLIF(y.eps_basic, 0) > 0 AND t.pat / NULLIF(t.eps_basic, 0) > 0 THEN y.eps_basic * (y.pat - t.pat) / y.pat END
                ELSE y.eps_basic - t.eps_basic END AS eps_basic,
           CASE WHEN (y.pat / NULLIF(y.eps_diluted, 0)) / NULLIF(t.pat / NULLIF(t.eps_diluted, 0), 0) NOT BETWEEN 0.55 AND 1.9
                THEN CASE WHEN y.pat / NULLIF(y.eps_diluted, 0) > 0 AND t.pat / NULLIF(t.eps_diluted, 0) > 0 THEN y.eps_diluted * (y.pat - t.pat) / y.pat END
                ELSE y.eps_diluted - t.eps_diluted END AS eps_diluted,
           y.dividend_per_share - t.dividend_per_share AS dividend_per_share,
           y.interest_earned - t.interest_earned AS interest_earned,
           y.interest_expended - t.interest_expended AS interest_expended,
           y.net_interest_income - t.net_interest_income AS net_interest_income,
           y.provisions - t.provisions AS provisions,
           y.cfo - t.cfo AS cfo,
           y.capex - t.capex AS capex,
           y.cfi - t.cfi AS cfi,
           y.cff - t.cff AS cff,
           y.dividends_paid - t.dividends_paid AS dividends_paid,
           y.net_cash_flow - t.net_cash_flow AS net_cash_flow,
           y.cash,
           y.investments,
           y.receivables,
           y.inventories,
           y.current_assets,
           y.fixed_assets,
           y.intangibles,
           y.total_assets,
           y.payables,
           y.current_liabilities,
           y.short_term_debt,
           y.long_term_debt,
           y.total_debt,
           y.total_liabilities,
           y.minority_interest,
           y.share_capital,
           y.reserves,
           y.retained_earnings,
           y.equity,
           y.shares_outstanding,
           y.advances_to_customers,
           y.deposits,
           y.gross_npa,
           y.net_npa,
           y.tier1_pct,
           y.filed_first,
           y.filed_last,
           y.known_first
    FROM   yearly y
    LEFT   JOIN thirds t ON t.symbol = y.symbol AND t.period_end = y.period_end
),
whole AS (
    SELECT COALESCE(q.symbol, f.symbol)         AS symbol,
           'quarterly'                          AS period_type,
           COALESCE(q.period_end, f.period_end) AS period_end,
           COALESCE(q.basis, f.basis)           AS basis,
           COALESCE(q.currency, f.currency)     AS currency,
           COALESCE(q.source, f.source)         AS source,
           COALESCE(q.revenue, f.revenue) AS revenue,
           COALESCE(q.other_income, f.other_income) AS other_income,
           COALESCE(q.cost_of_goods, f.cost_of_goods) AS cost_of_goods,
           q.gross_profit,
           COALESCE(q.employee_cost, f.employee_cost) AS employee_cost,
           COALESCE(q.other_expenses, f.other_expenses) AS other_expenses,
           q.ebitda,
           COALESCE(q.depreciation, f.depreciation) AS depreciation,
           COALESCE(q.ebit, f.ebit) AS ebit,
           COALESCE(q.interest, f.interest) AS interest,
           COALESCE(q.exceptional_items, f.exceptional_items) AS exceptional_items,
           COALESCE(q.profit_before_tax, f.profit_before_tax) AS profit_before_tax,
           COALESCE(q.tax, f.tax) AS tax,
           COALESCE(q.pat, f.pat) AS pat,
           COALESCE(q.eps_basic, f.eps_basic) AS eps_basic,
           COALESCE(q.eps_diluted, f.eps_diluted) AS eps_diluted,
           q.shares_diluted,
           COALESCE(q.dividend_per_share, f.dividend_per_share) AS dividend_per_share,
           COALESCE(q.interest_earned, f.interest_earned) AS interest_earned,
           COALESCE(q.interest_expended, f.interest_expended) AS interest_expended,
           COALESCE(q.net_interest_income, f.net_interest_income) AS net_interest_income,
           COALESCE(q.provisions, f.provisions) AS provisions,
           COALESCE(q.cash, f.cash) AS cash,
           COALESCE(q.investments, f.investments) AS investments,
           COALESCE(q.receivables, f.receivables) AS receivables,
           COALESCE(q.inventories, f.inventories) AS inventories,
           COALESCE(q.current_assets, f.current_assets) AS current_assets,
           COALESCE(q.fixed_assets, f.fixed_assets) AS fixed_assets,
           COALESCE(q.intangibles, f.intangibles) AS intangibles,
           COALESCE(q.total_assets, f.total_assets) AS total_assets,
           COALESCE(q.payables, f.payables) AS payables,
           COALESCE(q.current_liabilities, f.current_liabilities) AS current_liabilities,
           COALESCE(q.short_term_debt, f.short_term_debt) AS short_term_debt,
           COALESCE(q.long_term_debt, f.long_term_debt) AS long_term_debt,
           COALESCE(q.total_debt, f.total_debt) AS total_debt,
           COALESCE(q.total_liabilities, f.total_liabilities) AS total_liabilities,
           COALESCE(q.minority_interest, f.minority_interest) AS minority_interest,
           COALESCE(q.share_capital, f.share_capital) AS share_capital,
           COALESCE(q.reserves, f.reserves) AS reserves,
           COALESCE(q.retained_earnings, f.retained_earnings) AS retained_earnings,
           COALESCE(q.equity, f.equity) AS equity,
           COALESCE(q.shares_outstanding, f.shares_outstanding) AS shares_outstanding,
           COALESCE(q.advances_to_customers, f.advances_to_customers) AS advances_to_customers,
           COALESCE(q.deposits, f.deposits) AS deposits,
           COALESCE(q.gross_npa, f.gross_npa) AS gross_npa,
           COALESCE(q.net_npa, f.net_npa) AS net_npa,
           COALESCE(q.tier1_pct, f.tier1_pct) AS tier1_pct,
           COALESCE(q.cfo, f.cfo) AS cfo,
           COALESCE(q.capex, f.capex) AS capex,
           COALESCE(q.cfi, f.cfi) AS cfi,
           COALESCE(q.cff, f.cff) AS cff,
           COALESCE(q.dividends_paid, f.dividends_paid) AS dividends_paid,
           COALESCE(q.net_cash_flow, f.net_cash_flow) AS net_cash_flow,
           CASE WHEN q.symbol IS NULL THEN f.filed_first ELSE q.filed_first END AS filed_first,
           CASE WHEN q.symbol IS NULL THEN f.filed_last ELSE q.filed_last END   AS filed_last,
           CASE WHEN q.symbol IS NULL THEN f.known_first ELSE q.known_first END AS known_first
    FROM   quarterly q
    FULL   JOIN fourths f ON f.symbol = q.symbol AND f.basis = q.basis AND f.period_end = q.period_end
    WHERE  q.symbol IS NOT NULL OR f.revenue IS NOT NULL OR f.pat IS NOT NULL
    UNION  ALL
    SELECT symbol, period_type, period_end, basis, currency, source,
           revenue, other_income, cost_of_goods, gross_profit, employee_cost, other_expenses, ebitda, depreciation,
           ebit, interest, exceptional_items, profit_before_tax, tax, pat, eps_basic, eps_diluted, shares_diluted,
           dividend_per_share, interest_earned, interest_expended, net_interest_income, provisions, cash,
           investments, receivables, inventories, current_assets, fixed_assets, intangibles, total_assets, payables,
           current_liabilities, short_term_debt, long_term_debt, total_debt, total_liabilities, minority_interest,
           share_capital, reserves, retained_earnings, equity, shares_outstanding, advances_to_customers, deposits,
           gross_npa, net_npa, tier1_pct, cfo, capex, cfi, cff, dividends_paid, net_cash_flow,
           filed_first, filed_last, known_first
    FROM   yearly
),
completed AS (
    SELECT * EXCEPT (ebit, total_debt, total_liabilities),
           COALESCE(ebit, ebitda - depreciation)                AS ebit,
           COALESCE(total_debt, short_term_debt + long_term_debt) AS total_debt,
           COALESCE(total_liabilities, total_assets - equity - COALESCE(minority_interest, 0)) AS total_liabilities,
           COALESCE(filed_first, known_first)                   AS announced_on,
           CAST(date_part('year', period_end - 14) AS BIGINT)   AS fiscal_year
    FROM   whole
),
stepped AS (
    SELECT *,
           log10(CASE WHEN revenue > 0 THEN revenue END) - LAG(log10(CASE WHEN revenue > 0 THEN revenue END)) OVER series AS revenue_step,
           log10(CASE WHEN share_capital > 0 THEN share_capital END)
               - LAG(log10(CASE WHEN share_capital > 0 THEN share_capital END)) OVER series AS capital_step,
           ROW_NUMBER() OVER series                                       AS place,
           SUM(revenue) OVER (series ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS of_four,
           SUM(revenue) OVER (series ROWS BETWEEN 4 PRECEDING AND CURRENT ROW) AS of_five,
           period_end - first_value(period_end) OVER (series ROWS BETWEEN 4 PRECEDING AND CURRENT ROW) AS days_of_five
    FROM   completed
    WINDOW series AS (PARTITION BY symbol, period_type ORDER BY period_end)
),
-- By how many powers of ten each period is above the one before it, in revenue and share capital alike; mostly 0.
scaled AS (
    SELECT *,
           CASE
               WHEN ABS(capital_step - ROUND(capital_step)) < 0.05 AND ROUND(revenue_step) = ROUND(capital_step) THEN ROUND(capital_step)
               WHEN capital_step + revenue_step IS NOT NULL THEN 0
           END AS step
    FROM   stepped
),
judged AS (
    SELECT *,
           CAST(ROW_NUMBER() OVER (PARTITION BY symbol, period_type ORDER BY period_end DESC) AS BIGINT) AS age,
           period_end - LAG(period_end) OVER series AS days_since,
           LAG(step) OVER series     AS step_before,
           LEAD(step) OVER series    AS step_after,
           LEAD(step, 2) OVER series AS second_step_after
    FROM   scaled
    WINDOW series AS (PARTITION BY symbol, period_type ORDER BY period_end)
),
-- A filing has the quarter and the year that end on a day.
marked AS (
    SELECT *,
           MAX(CASE WHEN period_type = 'quarterly' AND days_of_five BETWEEN 350 AND 380 THEN of_five END) OVER of_day AS five_quarters,
           MAX(CASE WHEN period_type = 'quarterly' THEN of_four END) OVER of_day AS four_quarters,
           MAX(CASE
                   WHEN age = 1 AND place > 1 THEN CAST(step <> 0 AND step_before = 0 AS INT)
                   WHEN place = 1 THEN CAST(step_after <> 0 AND second_step_after = 0 AS INT)
                   ELSE CAST(step <> 0 AND step_after = -step AS INT)
               END) OVER of_day AS is_off
    FROM   judged
    WINDOW of_day AS (PARTITION BY symbol, period_end)
)
SELECT symbol,
       period_type,
       period_end,
       CASE period_type WHEN 'annual' THEN 'FY' || CAST(fiscal_year AS TEXT) ELSE to_char(period_end - 14, '%b %Y') END AS period,
       fiscal_year,
       CASE period_type
           WHEN 'quarterly' THEN CAST(4 * date_part('year', period_end - 45) + date_part('quarter', period_end - 45) AS BIGINT)
       END AS quarter_index,
       age,
       CASE
           WHEN period_type = 'quarterly' THEN 3
           WHEN ABS(revenue - five_quarters) < 0.005 * five_quarters AND revenue > 1.1 * four_quarters THEN 15
           WHEN period_type = 'annual' AND days_since BETWEEN 80 AND 700 AND days_since NOT BETWEEN 350 AND 380
               THEN CAST(ROUND(days_since / 30.4375) AS BIGINT)
           ELSE 12
       END AS months,
       COALESCE(is_off = 1, FALSE) AS wrong_unit,
       basis,
       currency,
       announced_on,
       filed_first IS NULL AS filed_assumed,
       CASE WHEN filed_last > announced_on THEN filed_last END AS restated_on,
       source,
       revenue,
       other_income,
       cost_of_goods,
       gross_profit,
       employee_cost,
       other_expenses,
       ebitda,
       depreciation,
       ebit,
       interest,
       exceptional_items,
       profit_before_tax,
       tax,
       pat,
       eps_basic,
       eps_diluted,
       shares_diluted,
       dividend_per_share,
       interest_earned,
       interest_expended,
       net_interest_income,
       provisions,
       cash,
       investments,
       receivables,
       inventories,
       current_assets,
       fixed_assets,
       intangibles,
       total_assets,
       payables,
       current_liabilities,
       short_term_debt,
       long_term_debt,
       total_debt,
       total_liabilities,
       minority_interest,
       share_capital,
       reserves,
       retained_earnings,
       equity,
       shares_outstanding,
       advances_to_customers,
       deposits,
       gross_npa,
       net_npa,
       CASE WHEN tier1_pct BETWEEN 4 AND 60 THEN tier1_pct END AS tier1_pct,
       cfo,
       capex,
       cfi,
       cff,
       dividends_paid,
       net_cash_flow,
       cfo - capex AS fcf,
       CASE WHEN revenue > 0 THEN 100 * ebitda / revenue END AS opm_pct
FROM   marked
ORDER  BY symbol, period_type, period_end
