-- Reported periods: the newest version of every line of a statement that was filed by the market's date, a row a period.
--
-- A line without a filing date is taken to be known 45 days after a quarter and 60 days after a year, and gives way to one with a
-- date. A company's consolidated accounts are used as long as they are not two quarters (or a year) behind its standalone ones; one
-- series never mixes the two. Counts of shares and figures a share are adjusted for later splits and bonuses.
--
-- key:     symbol, period_type, period_end
-- sorted:  symbol, period_type, period_end
-- formula: statements 1
-- column: symbol              text
-- column: period_type         text
-- column: period_end          date
-- column: basis               text
-- column: currency            text
-- column: source              text
-- column: revenue             number? money
-- column: other_income        number? money
-- column: cost_of_goods       number? money
-- column: gross_profit        number? money
-- column: employee_cost       number? money
-- column: other_expenses      number? money
-- column: ebitda              number? money
-- column: depreciation        number? money
-- column: ebit                number? money
-- column: interest            number? money
-- column: exceptional_items   number? money
-- column: profit_before_tax   number? money
-- column: tax                 number? money
-- column: pat                 number? money
-- column: eps_basic           number? price
-- column: eps_diluted         number? price
-- column: shares_diluted      number? shares
-- column: dividend_per_share  number? price
-- column: interest_earned     number? money
-- column: interest_expended   number? money
-- column: net_interest_income number? money
-- column: provisions          number? money
-- column: cash                number? money
-- column: investments         number? money
-- column: receivables         number? money
-- column: inventories         number? money
-- column: current_assets      number? money
-- column: fixed_assets        number? money
-- column: intangibles         number? money
-- column: total_assets        number? money
-- column: payables            number? money
-- column: current_liabilities number? money
-- column: short_term_debt     number? money
-- column: long_term_debt      number? money
-- column: total_debt          number? money
-- column: total_liabilities   number? money
-- column: minority_interest   number? money
-- column: share_capital       number? money
-- column: reserves            number? money
-- column: retained_earnings   number? money
-- column: equity              number? money
-- column: shares_outstanding  number? shares
-- column: advances_to_customers number? money
-- column: deposits            number? money
-- column: gross_npa           number? money
-- column: net_npa             number? money
-- column: capital_adequacy_pct number? pct
-- column: cfo                 number? money
-- column: capex               number? money
-- column: cfi                 number? money
-- column: cff                 number? money
-- column: dividends_paid      number? money
-- column: net_cash_flow       number? money
-- column: filed_first         date? "Day of the first filing; null where no filing day is on file."
-- column: filed_last          date? "Day of the newest filing; null where no filing day is on file."
-- column: known_first         date  "Day from which the period is taken to be known where no filing day is on file."
WITH known AS (
    SELECT symbol,
           period_type,
           period_end,
           basis,
           line,
           value,
           currency,
           source,
           filed_at,
           COALESCE(filed_at, period_end + CASE period_type WHEN 'quarterly' THEN 45 ELSE 60 END) AS known_at
    FROM   statement_lines
    WHERE  COALESCE(filed_at, period_end + CASE period_type WHEN 'quarterly' THEN 45 ELSE 60 END)
           <= (SELECT MAX(known_on) FROM statements_known)
),
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
days AS (
    SELECT symbol, known_at AS day
    FROM   known
    WHERE  line IN ('eps_basic', 'eps_diluted', 'dividend_per_share', 'shares_diluted')
    UNION
    SELECT symbol, period_end AS day
    FROM   known
    WHERE  line = 'shares_outstanding'
),
factors AS (
    SELECT d.symbol, d.day, EXP(SUM(LN(a.factor))) AS factor
    FROM   days d
    JOIN   (SELECT symbol, ex_date, factor
            FROM   corporate_actions
            WHERE  ex_date <= (SELECT MAX(known_on) FROM statements_known)) a
           ON a.symbol = d.symbol AND a.ex_date > d.day
    GROUP  BY d.symbol, d.day
),
adjusted AS (
    SELECT k.symbol,
           k.period_type,
           k.period_end,
           k.basis,
           k.line,
           CASE
               WHEN f.factor IS NULL THEN k.value
               WHEN k.line IN ('eps_basic', 'eps_diluted', 'dividend_per_share') THEN k.value * f.factor
               WHEN k.line IN ('shares_diluted', 'shares_outstanding')           THEN k.value / f.factor
               ELSE k.value
           END AS value,
           k.currency,
           k.source,
           k.filed_at,
           k.known_at,
           CAST(k.known_at AS INT) + CASE WHEN k.filed_at IS NULL THEN 0 ELSE 1000000 END AS version
    FROM   known k
    JOIN   bases b ON b.symbol = k.symbol AND b.period_type = k.period_type AND b.basis = k.basis
    LEFT   JOIN factors f ON f.symbol = k.symbol
           AND f.day = CASE WHEN k.line = 'shares_outstanding' THEN k.period_end ELSE k.known_at END
)
SELECT symbol,
       period_type,
       period_end,
       MAX(basis)       AS basis,
       MAX(currency)    AS currency,
       MAX(source)      AS source,
       last_value(value ORDER BY version) FILTER (WHERE line = 'revenue')           AS revenue,
       last_value(value ORDER BY version) FILTER (WHERE line = 'other_income')      AS other_income,
       last_value(value ORDER BY version) FILTER (WHERE line = 'cost_of_goods')     AS cost_of_goods,
       last_value(value ORDER BY version) FILTER (WHERE line = 'gross_profit')      AS gross_profit,
       last_value(value ORDER BY version) FILTER (WHERE line = 'employee_cost')     AS employee_cost,
       last_value(value ORDER BY version) FILTER (WHERE line = 'other_expenses')    AS other_expenses,
       last_value(value ORDER BY version) FILTER (WHERE line = 'ebitda')            AS ebitda,
       last_value(value ORDER BY version) FILTER (WHERE line = 'depreciation')      AS depreciation,
       last_value(value ORDER BY version) FILTER (WHERE line = 'ebit')              AS ebit,
       last_value(value ORDER BY version) FILTER (WHERE line = 'interest')          AS interest,
       last_value(value ORDER BY version) FILTER (WHERE line = 'exceptional_items') AS exceptional_items,
       last_value(value ORDER BY version) FILTER (WHERE line = 'profit_before_tax') AS profit_before_tax,
       last_value(value ORDER BY version) FILTER (WHERE line = 'tax')               AS tax,
       last_value(value ORDER BY version) FILTER (WHERE line = 'pat')               AS pat,
       last_value(value ORDER BY version) FILTER (WHERE line = 'eps_basic')         AS eps_basic,
       last_value(value ORDER BY version) FILTER (WHERE line = 'eps_diluted')       AS eps_diluted,
       last_value(value ORDER BY version) FILTER (WHERE line = 'shares_diluted')    AS shares_diluted,
       last_value(value ORDER BY version) FILTER (WHERE line = 'dividend_per_share')AS dividend_per_share,
       last_value(value ORDER BY version) FILTER (WHERE line = 'interest_earned')   AS interest_earned,
       last_value(value ORDER BY version) FILTER (WHERE line = 'interest_expended') AS interest_expended,
       last_value(value ORDER BY version) FILTER (WHERE line = 'net_interest_income')AS net_interest_income,
       last_value(value ORDER BY version) FILTER (WHERE line = 'provisions')        AS provisions,
       last_value(value ORDER BY version) FILTER (WHERE line = 'cash')              AS cash,
       last_value(value ORDER BY version) FILTER (WHERE line = 'investments')       AS investments,
       last_value(value ORDER BY version) FILTER (WHERE line = 'receivables')       AS receivables,
       last_value(value ORDER BY version) FILTER (WHERE line = 'inventories')       AS inventories,
       last_value(value ORDER BY version) FILTER (WHERE line = 'current_assets')    AS current_assets,
       last_value(value ORDER BY version) FILTER (WHERE line = 'fixed_assets')      AS fixed_assets,
       last_value(value ORDER BY version) FILTER (WHERE line = 'intangibles')       AS intangibles,
       last_value(value ORDER BY version) FILTER (WHERE line = 'total_assets')      AS total_assets,
       last_value(value ORDER BY version) FILTER (WHERE line = 'payables')          AS payables,
       last_value(value ORDER BY version) FILTER (WHERE line = 'current_liabilities')AS current_liabilities,
       last_value(value ORDER BY version) FILTER (WHERE line = 'short_term_debt')   AS short_term_debt,
       last_value(value ORDER BY version) FILTER (WHERE line = 'long_term_debt')    AS long_term_debt,
       last_value(value ORDER BY version) FILTER (WHERE line = 'total_debt')        AS total_debt,
       last_value(value ORDER BY version) FILTER (WHERE line = 'total_liabilities') AS total_liabilities,
       last_value(value ORDER BY version) FILTER (WHERE line = 'minority_interest') AS minority_interest,
       last_value(value ORDER BY version) FILTER (WHERE line = 'share_capital')     AS share_capital,
       last_value(value ORDER BY version) FILTER (WHERE line = 'reserves')          AS reserves,
       last_value(value ORDER BY version) FILTER (WHERE line = 'retained_earnings') AS retained_earnings,
       last_value(value ORDER BY version) FILTER (WHERE line = 'equity')            AS equity,
       last_value(value ORDER BY version) FILTER (WHERE line = 'shares_outstanding')AS shares_outstanding,
       last_value(value ORDER BY version) FILTER (WHERE line = 'advances')          AS advances_to_customers,
       last_value(value ORDER BY version) FILTER (WHERE line = 'deposits')          AS deposits,
       last_value(value ORDER BY version) FILTER (WHERE line = 'gross_npa')         AS gross_npa,
       last_value(value ORDER BY version) FILTER (WHERE line = 'net_npa')           AS net_npa,
       last_value(value ORDER BY version) FILTER (WHERE line = 'capital_adequacy_pct')AS capital_adequacy_pct,
       last_value(value ORDER BY version) FILTER (WHERE line = 'cfo')               AS cfo,
       last_value(value ORDER BY version) FILTER (WHERE line = 'capex')             AS capex,
       last_value(value ORDER BY version) FILTER (WHERE line = 'cfi')               AS cfi,
       last_value(value ORDER BY version) FILTER (WHERE line = 'cff')               AS cff,
       last_value(value ORDER BY version) FILTER (WHERE line = 'dividends_paid')    AS dividends_paid,
       last_value(value ORDER BY version) FILTER (WHERE line = 'net_cash_flow')     AS net_cash_flow,
       MIN(filed_at) AS filed_first,
       MAX(filed_at) AS filed_last,
       MIN(known_at) AS known_first
FROM   adjusted
GROUP  BY symbol, period_type, period_end
ORDER  BY symbol, period_type, period_end
