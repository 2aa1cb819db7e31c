-- Statements: income, balance sheet and cash flow of every company, a row a period.
--
-- Of each line the newest version counts that was filed by the market's date. A line without a filing date is taken to be known 45 days
-- after a quarter and 60 days after a year. A company's consolidated accounts are used where it still publishes them, otherwise
-- the standalone ones; one series never mixes the two. A fourth quarter that was not published is the year less the three quarters
-- before it, and has the year's balance sheet. Counts of shares and figures a share are adjusted for later splits and bonuses.
-- Where a file does not give them, gross profit, EBITDA, EBIT, debt and liabilities follow from the lines that make them up.
--
-- key:     symbol, period_type, period_end
-- sorted:  symbol, period_type, period_end
-- formula: statements 1
-- column: symbol              text
-- column: period_type         text
-- column: period_end          date
-- column: period              text          "Quarter by its last month, such as Jun 2026, or fiscal year, such as FY2026."
-- column: fiscal_year         int           "Calendar year in which the period ends; the first two weeks of January belong to the year before."
-- column: quarter_index       int?          "Number of the calendar quarter in which the middle of the quarter lies; one more each quarter. Null of years."
-- column: age                 int count     "Place of the period among those of its length, 1 is the newest."
-- column: basis               text
-- column: currency            text
-- column: announced_on        date          "Day on which the period's figures were first filed, or are taken to have been known."
-- column: filed_assumed       bool          "Whether the filing day is not on file and was taken to be 45 days after a quarter or 60 after a year."
-- column: restated_on         date?         "Day of the newest filing, where the figures were filed again later."
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
-- column: capital_adequacy_pct number? pct  "Capital adequacy ratio."
-- column: cfo                 number? money "Cash flow from operations."
-- column: capex               number? money "Capital expenditure; positive is spent."
-- column: cfi                 number? money "Cash flow from investing."
-- column: cff                 number? money "Cash flow from financing."
-- column: dividends_paid      number? money "Dividends paid."
-- column: net_cash_flow       number? money "Change of cash over the period."
-- column: fcf                 number? money "Free cash flow: cash flow from operations less capital expenditure."
-- column: opm_pct             number? pct   "Operating margin: EBITDA before other income over revenue."
WITH known AS (
    SELECT symbol,
           period_type,
           period_end,
           basis,
           statement,
           line,
           value,
           currency,
           source,
           filed_at IS NOT NULL AS is_filed,
           COALESCE(filed_at, period_end + CASE period_type WHEN 'quarterly' THEN 45 ELSE 60 END) AS known_at
    FROM   statement_lines
    WHERE  COALESCE(filed_at, period_end + CASE period_type WHEN 'quarterly' THEN 45 ELSE 60 END) <= as_of()
),
-- The consolidated series counts as long as it is not two quarters (or a year) behind the standalone one.
bases AS (
    SELECT symbol,
           period_type,
           CASE
               WHEN MAX(period_end) FILTER (WHERE basis = 'consolidated')
                    >= MAX(period_end) - CASE period_type WHEN 'quarterly' THEN 150 ELSE 300 END
               THEN 'consolidated'
               ELSE 'standalone'
           END AS basis
    FROM   known
    GROUP  BY symbol, period_type
),
factors AS (
    SELECT d.symbol, d.day, EXP(SUM(LN(a.factor))) AS factor
    FROM   (SELECT symbol, known_at AS day
            FROM   known
            WHERE  line IN ('eps_basic', 'eps_diluted', 'dividend_per_share', 'shares_diluted')
            UNION
            SELECT symbol, period_end AS day
            FROM   known
            WHERE  line = 'shares_outstanding') d
    JOIN   corporate_actions a ON a.symbol = d.symbol AND a.ex_date > d.day AND a.ex_date <= as_of()
    GROUP  BY d.symbol, d.day
),
adjusted AS (
    SELECT k.symbol,
           k.period_type,
           k.period_end,
           k.basis,
           k.statement,
           k.line,
           CASE
               WHEN k.line IN ('eps_basic', 'eps_diluted', 'dividend_per_share') THEN k.value * COALESCE(f.factor, 1)
               WHEN k.line IN ('shares_diluted', 'shares_outstanding')           THEN k.value / COALESCE(f.factor, 1)
               ELSE k.value
           END AS value,
           k.currency,
           k.source,
           k.is_filed,
           k.known_at
    FROM   known k
    JOIN   bases b ON b.symbol = k.symbol AND b.period_type = k.period_type AND b.basis = k.basis
    LEFT   JOIN factors f ON f.symbol = k.symbol
           AND f.day = CASE WHEN k.line = 'shares_outstanding' THEN k.period_end ELSE k.known_at END
),
versions AS (
    SELECT symbol,
           period_type,
           period_end,
           basis,
           statement,
           line,
           last_value(value    ORDER BY is_filed, known_at, source, value) AS value,
           last_value(currency ORDER BY is_filed, known_at, source, value) AS currency,
           last_value(source   ORDER BY is_filed, known_at, source, value) AS source,
           BOOL_OR(is_filed)                       AS is_filed,
           MIN(known_at) FILTER (WHERE is_filed)   AS filed_first,
           MAX(known_at) FILTER (WHERE is_filed)   AS filed_last,
           MIN(known_at)                           AS known_first
    FROM   adjusted
    GROUP  BY symbol, period_type, period_end, basis, statement, line
),
quarterly AS (
    SELECT * FROM versions WHERE period_type = 'quarterly'
),
yearly AS (
    SELECT y.*
    FROM   versions y
    LEFT   ANTI JOIN quarterly q ON q.symbol = y.symbol AND q.line = y.line
           AND q.period_end BETWEEN y.period_end - 10 AND y.period_end + 10
    WHERE  y.period_type = 'annual'
),
fourth_flows AS (
    SELECT y.symbol,
           y.period_end,
           y.basis,
           y.statement,
           y.line,
           MAX(y.value) - SUM(q.value) AS value,
           MAX(y.currency)             AS currency,
           MAX(y.source)               AS source,
           BOOL_OR(y.is_filed)         AS is_filed,
           MAX(y.filed_first)          AS filed_first,
           MAX(y.filed_last)           AS filed_last,
           MAX(y.known_first)          AS known_first
    FROM   yearly y
    JOIN   quarterly q ON q.symbol = y.symbol AND q.line = y.line AND q.basis = y.basis AND q.currency = y.currency
           AND q.period_end BETWEEN y.period_end - 300 AND y.period_end - 60
    WHERE  y.statement <> 'balance'
    AND    y.line <> 'shares_diluted'
    GROUP  BY y.symbol, y.period_end, y.basis, y.statement, y.line
    HAVING COUNT(*) = 3
),
fourth_balances AS (
    SELECT y.symbol, y.period_end, y.basis, y.statement, y.line, y.value, y.currency, y.source, y.is_filed,
           y.filed_first, y.filed_last, y.known_first
    FROM   yearly y
    LEFT   SEMI JOIN (SELECT symbol, period_end, basis FROM fourth_flows
                      UNION
                      SELECT symbol, period_end, basis FROM quarterly) q
           ON q.symbol = y.symbol AND q.period_end = y.period_end AND q.basis = y.basis
    WHERE  y.statement = 'balance'
),
whole AS (
    SELECT symbol, period_type, period_end, basis, statement, line, value, currency, source, is_filed, filed_first, filed_last,
           known_first
    FROM   versions
    UNION  ALL
    SELECT symbol, 'quarterly', period_end, basis, statement, line, value, currency, source, is_filed, filed_first, filed_last,
           known_first
    FROM   fourth_flows
    UNION  ALL
    SELECT symbol, 'quarterly', period_end, basis, statement, line, value, currency, source, is_filed, filed_first, filed_last,
           known_first
    FROM   fourth_balances
),
wide AS (
    SELECT symbol,
           period_type,
           period_end,
           MAX(basis)                                               AS basis,
           MAX(currency)                                            AS currency,
           COALESCE(MIN(filed_first), MIN(known_first))             AS announced_on,
           NOT BOOL_OR(is_filed)                                    AS filed_assumed,
           MAX(filed_last)                                          AS filed_last,
           MAX(source)                                              AS source,
           MAX(value) FILTER (WHERE line = 'revenue')               AS revenue,
           MAX(value) FILTER (WHERE line = 'other_income')          AS other_income,
           MAX(value) FILTER (WHERE line = 'cost_of_goods')         AS cost_of_goods,
           MAX(value) FILTER (WHERE line = 'gross_profit')          AS gross_profit,
           MAX(value) FILTER (WHERE line = 'employee_cost')         AS employee_cost,
           MAX(value) FILTER (WHERE line = 'other_expenses')        AS other_expenses,
           MAX(value) FILTER (WHERE line = 'ebitda')                AS ebitda,
           MAX(value) FILTER (WHERE line = 'depreciation')          AS depreciation,
           MAX(value) FILTER (WHERE line = 'ebit')                  AS ebit,
           MAX(value) FILTER (WHERE line = 'interest')              AS interest,
           MAX(value) FILTER (WHERE line = 'exceptional_items')     AS exceptional_items,
           MAX(value) FILTER (WHERE line = 'profit_before_tax')     AS profit_before_tax,
           MAX(value) FILTER (WHERE line = 'tax')                   AS tax,
           MAX(value) FILTER (WHERE line = 'pat')                   AS pat,
           MAX(value) FILTER (WHERE line = 'eps_basic')             AS eps_basic,
           MAX(value) FILTER (WHERE line = 'eps_diluted')           AS eps_diluted,
           MAX(value) FILTER (WHERE line = 'shares_diluted')        AS shares_diluted,
           MAX(value) FILTER (WHERE line = 'dividend_per_share')    AS dividend_per_share,
           MAX(value) FILTER (WHERE line = 'interest_earned')       AS interest_earned,
           MAX(value) FILTER (WHERE line = 'interest_expended')     AS interest_expended,
           MAX(value) FILTER (WHERE line = 'net_interest_income')   AS net_interest_income,
           MAX(value) FILTER (WHERE line = 'provisions')            AS provisions,
           MAX(value) FILTER (WHERE line = 'cash')                  AS cash,
           MAX(value) FILTER (WHERE line = 'investments')           AS investments,
           MAX(value) FILTER (WHERE line = 'receivables')           AS receivables,
           MAX(value) FILTER (WHERE line = 'inventories')           AS inventories,
           MAX(value) FILTER (WHERE line = 'current_assets')        AS current_assets,
           MAX(value) FILTER (WHERE line = 'fixed_assets')          AS fixed_assets,
           MAX(value) FILTER (WHERE line = 'intangibles')           AS intangibles,
           MAX(value) FILTER (WHERE line = 'total_assets')          AS total_assets,
           MAX(value) FILTER (WHERE line = 'payables')              AS payables,
           MAX(value) FILTER (WHERE line = 'current_liabilities')   AS current_liabilities,
           MAX(value) FILTER (WHERE line = 'short_term_debt')       AS short_term_debt,
           MAX(value) FILTER (WHERE line = 'long_term_debt')        AS long_term_debt,
           MAX(value) FILTER (WHERE line = 'total_debt')            AS total_debt,
           MAX(value) FILTER (WHERE line = 'total_liabilities')     AS total_liabilities,
           MAX(value) FILTER (WHERE line = 'minority_interest')     AS minority_interest,
           MAX(value) FILTER (WHERE line = 'share_capital')         AS share_capital,
           MAX(value) FILTER (WHERE line = 'reserves')              AS reserves,
           MAX(value) FILTER (WHERE line = 'retained_earnings')     AS retained_earnings,
           MAX(value) FILTER (WHERE line = 'equity')                AS equity,
           MAX(value) FILTER (WHERE line = 'shares_outstanding')    AS shares_outstanding,
           MAX(value) FILTER (WHERE line = 'advances')              AS advances_to_customers,
           MAX(value) FILTER (WHERE line = 'deposits')              AS deposits,
           MAX(value) FILTER (WHERE line = 'gross_npa')             AS gross_npa,
           MAX(value) FILTER (WHERE line = 'net_npa')               AS net_npa,
           MAX(value) FILTER (WHERE line = 'capital_adequacy_pct')  AS capital_adequacy_pct,
           MAX(value) FILTER (WHERE line = 'cfo')                   AS cfo,
           MAX(value) FILTER (WHERE line = 'capex')                 AS capex,
           MAX(value) FILTER (WHERE line = 'cfi')                   AS cfi,
           MAX(value) FILTER (WHERE line = 'cff')                   AS cff,
           MAX(value) FILTER (WHERE line = 'dividends_paid')        AS dividends_paid,
           MAX(value) FILTER (WHERE line = 'net_cash_flow')         AS net_cash_flow
    FROM   whole
    GROUP  BY symbol, period_type, period_end
),
completed AS (
    SELECT * EXCEPT (gross_profit, ebitda, ebit, total_debt, total_liabilities),
           COALESCE(gross_profit, revenue - cost_of_goods)      AS gross_profit,
           COALESCE(ebitda, ebit + depreciation)                AS ebitda,
           COALESCE(ebit, ebitda - depreciation)                AS ebit,
           COALESCE(total_debt, short_term_debt + long_term_debt) AS total_debt,
           COALESCE(total_liabilities, total_assets - equity - COALESCE(minority_interest, 0)) AS total_liabilities,
           CAST(date_part('year', period_end - 14) AS BIGINT)   AS fiscal_year
    FROM   wide
)
SELECT symbol,
       period_type,
       period_end,
       CASE period_type WHEN 'annual' THEN 'FY' || CAST(fiscal_year AS TEXT) ELSE to_char(period_end - 14, '%b %Y') END AS period,
       fiscal_year,
       CASE period_type
           WHEN 'quarterly' THEN CAST(4 * date_part('year', period_end - 45) + date_part('quarter', period_end - 45) AS BIGINT)
       END AS quarter_index,
       CAST(ROW_NUMBER() OVER (PARTITION BY symbol, period_type ORDER BY period_end DESC) AS BIGINT) AS age,
       basis,
       currency,
       announced_on,
       filed_assumed,
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
       capital_adequacy_pct,
       cfo,
       capex,
       cfi,
       cff,
       dividends_paid,
       net_cash_flow,
       cfo - capex AS fcf,
       CASE WHEN revenue > 0 THEN 100 * ebitda / revenue END AS opm_pct
FROM   completed
ORDER  BY symbol, period_type, period_end
