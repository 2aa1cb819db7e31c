-- Reported periods: the newest version of every line of a statement that was filed by the market's date, a row a period.
--
-- A line without a filing date is taken to be known 45 days after a quarter and 60 days after a year, and a line with a date replaces it. A
-- company's consolidated accounts are used as long as they are not two quarters (or a year) behind its standalone ones; one series never
-- mixes the two. Counts of shares and figures a share are adjusted for splits and bonuses after their filing, because a filing states them
-- in shares of its own day. In India it states the paid-up shares of the last day of the period as they were then.
--
-- key:     symbol, period_type, period_end
-- sorted:  symbol, period_type, period_end
-- formula: statements 2
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
-- column: tier1_pct           number? pct
-- column: cfo                 number? money
-- column: capex               number? money
-- column: cfi                 number? money
-- column: cff                 number? money
-- column: dividends_paid      number? money
-- column: net_cash_flow       number? money
-- column: filed_first         date? "Day of the first filing; null if no filing day is on file."
-- column: filed_last          date? "Day of the newest filing; null if no filing day is on file."
-- column: known_first         date  "Day from which the period is taken to be known if no filing day is on file."
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
           known_from
    FROM   statement_lines
    WHERE  known_from <= (SELECT MAX(known_on) FROM statements_known)
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
    SELECT symbol, known_from AS day
    FROM   known
    WHERE  line IN ('eps_basic', 'eps_diluted', 'dividend_per_share', 'shares_diluted')
    UNION
    SELECT symbol, CASE market() WHEN 'india' THEN period_end ELSE known_from END AS day
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
           k.known_from,
           CAST(CAST(k.known_from AS INT) + CASE WHEN k.filed_at IS NULL THEN 0 ELSE 1000000 END AS BIGINT) AS version
    -- The smaller side stands left, which a join keeps in memory.
    FROM   factors f
    RIGHT  JOIN (SELECT k.*
                 FROM   bases b
                 JOIN   known k ON k.symbol = b.symbol AND k.period_type = b.period_type AND k.basis = b.basis) k
           ON f.symbol = k.symbol
           AND f.day = CASE WHEN k.line = 'shares_outstanding' AND market() = 'india' THEN k.period_end ELSE k.known_from END
),
periods AS (
    SELECT symbol,
           period_type,
           period_end,
           MAX(basis)                         AS basis,
           MAX(currency)                      AS currency,
           MAX(source)                        AS source,
           newest_lines(line, value, version) AS lines,
           MIN(filed_at)                      AS filed_first,
           MAX(filed_at)                      AS filed_last,
           MIN(known_from)                      AS known_first
    FROM   adjusted
    GROUP  BY symbol, period_type, period_end
)
SELECT symbol,
       period_type,
       period_end,
       basis,
       currency,
       source,
       get_field(lines, 'revenue')               AS revenue,
       get_field(lines, 'other_income')          AS other_income,
       get_field(lines, 'cost_of_goods')         AS cost_of_goods,
       get_field(lines, 'gross_profit')          AS gross_profit,
       get_field(lines, 'employee_cost')         AS employee_cost,
       get_field(lines, 'other_expenses')        AS other_expenses,
       get_field(lines, 'ebitda')                AS ebitda,
       get_field(lines, 'depreciation')          AS depreciation,
       get_field(lines, 'ebit')                  AS ebit,
       get_field(lines, 'interest')              AS interest,
       get_field(lines, 'exceptional_items')     AS exceptional_items,
       get_field(lines, 'profit_before_tax')     AS profit_before_tax,
       get_field(lines, 'tax')                   AS tax,
       get_field(lines, 'pat')                   AS pat,
       get_field(lines, 'eps_basic')             AS eps_basic,
       get_field(lines, 'eps_diluted')           AS eps_diluted,
       get_field(lines, 'shares_diluted')        AS shares_diluted,
       get_field(lines, 'dividend_per_share')    AS dividend_per_share,
       get_field(lines, 'interest_earned')       AS interest_earned,
       get_field(lines, 'interest_expended')     AS interest_expended,
       get_field(lines, 'net_interest_income')   AS net_interest_income,
       get_field(lines, 'provisions')            AS provisions,
       get_field(lines, 'cash')                  AS cash,
       get_field(lines, 'investments')           AS investments,
       get_field(lines, 'receivables')           AS receivables,
       get_field(lines, 'inventories')           AS inventories,
       get_field(lines, 'current_assets')        AS current_assets,
       get_field(lines, 'fixed_assets')          AS fixed_assets,
       get_field(lines, 'intangibles')           AS intangibles,
       get_field(lines, 'total_assets')          AS total_assets,
       get_field(lines, 'payables')              AS payables,
       get_field(lines, 'current_liabilities')   AS current_liabilities,
       get_field(lines, 'short_term_debt')       AS short_term_debt,
       get_field(lines, 'long_term_debt')        AS long_term_debt,
       get_field(lines, 'total_debt')            AS total_debt,
       get_field(lines, 'total_liabilities')     AS total_liabilities,
       get_field(lines, 'minority_interest')     AS minority_interest,
       get_field(lines, 'share_capital')         AS share_capital,
       get_field(lines, 'reserves')              AS reserves,
       get_field(lines, 'retained_earnings')     AS retained_earnings,
       get_field(lines, 'equity')                AS equity,
       get_field(lines, 'shares_outstanding')    AS shares_outstanding,
       get_field(lines, 'advances')              AS advances_to_customers,
       get_field(lines, 'deposits')              AS deposits,
       get_field(lines, 'gross_npa')             AS gross_npa,
       get_field(lines, 'net_npa')               AS net_npa,
       get_field(lines, 'tier1_pct')             AS tier1_pct,
       get_field(lines, 'cfo')                   AS cfo,
       get_field(lines, 'capex')                 AS capex,
       get_field(lines, 'cfi')                   AS cfi,
       get_field(lines, 'cff')                   AS cff,
       get_field(lines, 'dividends_paid')        AS dividends_paid,
       get_field(lines, 'net_cash_flow')         AS net_cash_flow,
       filed_first,
       filed_last,
       known_first
FROM   periods
ORDER  BY symbol, period_type, period_end
