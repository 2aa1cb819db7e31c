-- Fundamentals: the ratios and growth rates of each company, as known at the market's date.
--
-- Flows are those of the last fiscal year if one ends with the newest quarter, else those of the last four quarters: the year's accounts
-- are audited, and restate its quarters. Cash flows, which most companies publish once a year, are those of the last fiscal year if the
-- quarters lack them. Balances are those of the newest balance sheet, and means include the balance sheet of a year before. Growth is over
-- years of twelve months that end on the same day of the calendar: a company that changed its financial year has no growth across the
-- change. Valuations need statements in the market's own currency, and results that ended at most 200 days ago, or 400 if the company
-- files only years; `unvalued_because` names the condition that fails. Periods that were filed in a wrong unit have no figures. A missing input,
-- a zero denominator and a base that is not positive make a figure null; so do statements whose newest period ended more than two years
-- ago, because today's price cannot be compared with them. An assumed market cap is in no ratio. Banks, lenders and insurers have no free
-- cash flow, enterprise value, current ratio, Altman or Piotroski score: cash, debt and current assets are their trade. Only they have the
-- ratios of lenders.
--
-- key:     symbol
-- sorted:  symbol
-- optional: stocks
-- schedule: 30 12 * * 1-5 india
-- schedule: 0 18 * * 1-5 us
-- stale-after-hours: 78
-- formula: fundamentals 7
-- column: symbol               text
-- column: sector               text?
-- column: industry             text?
-- column: is_eligible          bool
-- column: is_financial         bool
-- column: business_kind        text
-- column: ttm_period           text?         "The quarter or fiscal year with which the last twelve months end."
-- column: ttm_end              date?         "Day with which the last twelve months end."
-- column: balance_date         date?         "Day of the newest balance sheet."
-- column: fiscal_period        text?         "The last fiscal year, such as FY2026."
-- column: basis                text?
-- column: currency             text?
-- column: unvalued_because     text?         "Why no price is compared with these statements; null if one is."
-- column: statements_known_on  date?         "Day on which the newest of these statements became known."
-- column: price_cmp            number? price
-- column: market_cap           number? money
-- column: market_cap_assumed   bool?
-- column: revenue_ttm          number? money "Revenue of the last twelve months."
-- column: ebitda_ttm           number? money "EBITDA before other income of the last twelve months."
-- column: ebit_ttm             number? money "EBIT of the last twelve months."
-- column: interest_ttm         number? money "Interest expense of the last twelve months."
-- column: pat_ttm              number? money "Profit after tax of the last twelve months."
-- column: eps_ttm              number? price "Diluted earnings a share of the last twelve months, adjusted for later splits."
-- column: cfo_ttm              number? money "Cash flow from operations of the last twelve months, else of the last fiscal year."
-- column: fcf_ttm              number? money "Free cash flow of the last twelve months, else of the last fiscal year; null for lenders and insurers."
-- column: enterprise_value     number? money "Market capitalisation and debt less cash; null for lenders and insurers."
-- column: pe                   number? ratio "Market capitalisation over profit after tax of the last twelve months; null for losses."
-- column: pb                   number? ratio "Market capitalisation over equity."
-- column: ps                   number? ratio "Market capitalisation over revenue of the last twelve months."
-- column: ev_ebitda            number? ratio "Enterprise value over EBITDA of the last twelve months; null for lenders and insurers."
-- column: fcf_yield            number? pct   "Free cash flow over market capitalisation; null for lenders and insurers."
-- column: dividend_yield       number? pct   "Dividends a share of the last fiscal year over the price; where statements have none, profiles and screens have those of the last twelve months that the exchange announced."
-- column: roce                 number? pct   "Return on capital employed: EBIT over total assets less current liabilities."
-- column: roe                  number? pct   "Return on equity: profit after tax over mean equity; null unless equity is positive at both ends."
-- column: roa                  number? pct   "Return on assets: profit after tax over mean total assets; null unless they are positive at both ends."
-- column: opm_pct              number? pct
-- column: gross_margin_pct     number? pct   "Gross profit over revenue; null where no cost of goods is stated."
-- column: net_margin_pct       number? pct   "Profit after tax over revenue."
-- column: de                   number? ratio "Total debt over equity."
-- column: current_ratio        number? ratio "Current assets over current liabilities; null for lenders and insurers."
-- column: interest_cover       number? ratio "EBIT over interest expense."
-- column: cash_conversion      number? ratio "Cash flow from operations over EBITDA."
-- column: asset_turnover       number? ratio "Revenue over mean total assets."
-- column: dilution_pct         number? pct   "Change of the shares outstanding over a year, or of the mean diluted shares where those are not known; adjusted for splits."
-- column: revenue_growth_1y    number? pct   "Growth of revenue over one fiscal year of twelve months."
-- column: revenue_cagr_3y      number? pct   "Growth of revenue a year over three fiscal years."
-- column: revenue_cagr_5y      number? pct   "Growth of revenue a year over five fiscal years."
-- column: pat_growth_1y        number? pct   "Growth of profit after tax over one fiscal year of twelve months."
-- column: pat_cagr_3y          number? pct   "Growth of profit after tax a year over three fiscal years."
-- column: pat_cagr_5y          number? pct   "Growth of profit after tax a year over five fiscal years."
-- column: pat_swing_1y         text? in (to loss, to profit) "Whether a fiscal year turned a profit after tax into a loss or a loss into a profit, so that there is no growth; scores take it as the worst or the best."
-- column: pat_swing_3y         text? in (to loss, to profit) "The same over three fiscal years."
-- column: pat_swing_5y         text? in (to loss, to profit) "The same over five fiscal years."
-- column: profitable_years_10y int? in 0..10 count    "Years with a profit among the last ten fiscal years."
-- column: industry_revenue_share number? pct "Revenue of the last twelve months as a share of that of all companies of the industry; of the sector where the market has no list of industries. Null where less than half of them have a revenue."
-- column: altman_z_score       number? ratio "Altman's score of distress, by the model named beside it; null for banks, lenders and insurers."
-- column: altman_model         text?         "Z: manufacturers, safe above 2.99, distress below 1.81; Z'': others, safe above 5.85, distress below 4.15."
-- column: altman_zone          text?         "safe, grey or distress, by the model's bounds."
-- column: piotroski_f          int? in 0..9 count    "Piotroski's F-score: how many of nine signs of strength the last fiscal year shows; null for lenders and insurers."
-- column: equity_to_assets     number? pct   "Equity over total assets, of banks, lenders and insurers."
-- column: tier1_pct number? pct
-- column: gnpa_pct             number? pct
-- column: cost_of_funds        number? pct   "Interest paid over the mean of debt and deposits, of banks and lenders."
-- column: margin_on_assets     number? pct   "Net interest income over mean total assets, of banks and lenders."
WITH reported AS (
    SELECT *
    FROM   (SELECT k.symbol, k.period_type, k.period_end, k.period, k.quarter_index, k.age, k.months, k.basis, k.currency,
                   k.announced_on,
                   k.revenue IS NOT NULL OR k.pat IS NOT NULL AS has_flows,
                   s.revenue, s.ebitda, s.ebit, s.interest, s.pat, s.eps_diluted, s.cfo, s.fcf, s.dividend_per_share,
                   -- Forms make those without goods state a cost of 0.
                   CASE WHEN s.cost_of_goods = 0 THEN NULL ELSE s.gross_profit END              AS gross_profit,
                   s.shares_diluted, s.shares_outstanding, s.total_assets, s.current_assets, s.current_liabilities,
                   s.total_liabilities, s.long_term_debt, s.total_debt, s.cash, s.equity, s.retained_earnings, s.reserves,
                   s.deposits, s.advances_to_customers, s.gross_npa, s.tier1_pct,
                   COALESCE(s.interest_expended, s.interest)                                    AS interest_paid,
                   COALESCE(s.net_interest_income, s.interest_earned - COALESCE(s.interest_expended, s.interest)) AS net_interest,
                   MAX(k.period_end) OVER symbols                                               AS last_end,
                   MAX(CASE WHEN k.period_type = 'annual' AND k.age = 1 THEN k.basis END) OVER symbols AS basis_of_years
            FROM   statements k
            LEFT   JOIN statements s ON s.symbol = k.symbol AND s.period_type = k.period_type AND s.period_end = k.period_end
                   AND NOT s.wrong_unit
            WINDOW symbols AS (PARTITION BY k.symbol))
    WHERE  last_end >= as_of() - 731
),
-- Years of twelve months, and how many years before the last one they end.
dated_years AS (
    SELECT *, CAST(ROUND((newest - period_end) / 365.25) AS BIGINT) AS years_before
    FROM   (SELECT *, MAX(period_end) OVER (PARTITION BY symbol) AS newest
            FROM   reported
            WHERE  period_type = 'annual' AND months = 12 AND has_flows AND age <= 15)
),
-- A year counts once: where the end of the year moved, two lie as many years back.
annual AS (
    SELECT *, CASE WHEN off <= 15 THEN years_before END AS years_back
    FROM   (SELECT *, ROW_NUMBER() OVER (PARTITION BY symbol, years_before ORDER BY off, period_end DESC) AS turn
            FROM   (SELECT *, ABS(newest - period_end - 365.25 * years_before) AS off FROM dated_years))
    WHERE  turn = 1
),
-- The last fiscal year and those before it side by side: `revenue_1` is that of one year before.
years AS (
    SELECT symbol,
           MAX(period)            FILTER (WHERE years_back = 0) AS period,
           MAX(period_end)        FILTER (WHERE years_back = 0) AS period_end,
           MAX(currency)          FILTER (WHERE years_back = 0) AS currency,
           MAX(gross_profit)      FILTER (WHERE years_back = 0) AS gross_profit,
           MAX(announced_on)      FILTER (WHERE years_back = 0) AS announced_on,
           MAX(ebitda)            FILTER (WHERE years_back = 0) AS ebitda,
           MAX(ebit)              FILTER (WHERE years_back = 0) AS ebit,
           MAX(interest)          FILTER (WHERE years_back = 0) AS interest,
           MAX(interest_paid)     FILTER (WHERE years_back = 0) AS interest_paid,
           MAX(net_interest)      FILTER (WHERE years_back = 0) AS net_interest,
           MAX(eps_diluted)       FILTER (WHERE years_back = 0) AS eps_diluted,
           MAX(cfo)               FILTER (WHERE years_back = 0) AS cfo,
           MAX(fcf)               FILTER (WHERE years_back = 0) AS fcf,
           MAX(dividend_per_share) FILTER (WHERE years_back = 0) AS dividend_per_share,
           MAX(basis)             FILTER (WHERE years_back = 0) AS basis_0,
           MAX(basis)             FILTER (WHERE years_back = 1) AS basis_1,
           MAX(basis)             FILTER (WHERE years_back = 2) AS basis_2,
           MAX(revenue)           FILTER (WHERE years_back = 0) AS revenue_0,
           MAX(revenue)           FILTER (WHERE years_back = 1) AS revenue_1,
           MAX(revenue)           FILTER (WHERE years_back = 3) AS revenue_3,
           MAX(revenue)           FILTER (WHERE years_back = 5) AS revenue_5,
           MAX(gross_profit)      FILTER (WHERE years_back = 0) AS gross_profit_0,
           MAX(gross_profit)      FILTER (WHERE years_back = 1) AS gross_profit_1,
           MAX(pat)               FILTER (WHERE years_back = 0) AS pat_0,
           MAX(pat)               FILTER (WHERE years_back = 1) AS pat_1,
           MAX(pat)               FILTER (WHERE years_back = 3) AS pat_3,
           MAX(pat)               FILTER (WHERE years_back = 5) AS pat_5,
           MAX(total_assets)      FILTER (WHERE years_back = 1) AS total_assets_1,
           MAX(total_assets)      FILTER (WHERE years_back = 2) AS total_assets_2,
           MAX(current_assets)    FILTER (WHERE years_back = 0) AS current_assets_0,
           MAX(current_assets)    FILTER (WHERE years_back = 1) AS current_assets_1,
           MAX(current_liabilities) FILTER (WHERE years_back = 0) AS current_liabilities_0,
           MAX(current_liabilities) FILTER (WHERE years_back = 1) AS current_liabilities_1,
           MAX(long_term_debt)    FILTER (WHERE years_back = 0) AS long_term_debt_0,
           MAX(long_term_debt)    FILTER (WHERE years_back = 1) AS long_term_debt_1,
           MAX(total_debt)        FILTER (WHERE years_back = 0) AS total_debt_0,
           MAX(total_debt)        FILTER (WHERE years_back = 1) AS total_debt_1,
           MAX(shares_outstanding) FILTER (WHERE years_back = 0) AS shares_outstanding_0,
           MAX(shares_outstanding) FILTER (WHERE years_back = 1) AS shares_outstanding_1,
           MAX(shares_diluted)    FILTER (WHERE years_back = 0) AS shares_diluted_0,
           MAX(shares_diluted)    FILTER (WHERE years_back = 1) AS shares_diluted_1,
           CASE WHEN COUNT(pat) FILTER (WHERE years_before < 10) = COUNT(*) FILTER (WHERE years_before < 10)
               THEN COUNT(*) FILTER (WHERE years_before < 10 AND pat > 0)
           END AS profitable_years_10y
    FROM   annual
    GROUP  BY symbol
),
-- Quarters on another basis than the years would mix two companies.
quarters AS (
    SELECT *, MAX(quarter_index) OVER (PARTITION BY symbol) - quarter_index AS quarters_back
    FROM   (SELECT *, ROW_NUMBER() OVER (PARTITION BY symbol, quarter_index ORDER BY period_end DESC) AS turn
            FROM   reported
            WHERE  period_type = 'quarterly' AND age <= 10
            AND    has_flows)
    WHERE  turn = 1
    AND    (basis_of_years IS NULL OR basis_of_years = basis)
),
fours AS (
    SELECT symbol,
           MAX(period_end)                                         AS ttm_end,
           MAX(period)       FILTER (WHERE quarters_back = 0)      AS ttm_period,
           MAX(basis)                                              AS basis,
           MAX(currency)                                           AS currency,
           MAX(announced_on)                                       AS known_on,
           CASE WHEN COUNT(revenue) = 4      THEN SUM(revenue) END      AS revenue,
           CASE WHEN COUNT(gross_profit) = 4 THEN SUM(gross_profit) END AS gross_profit,
           CASE WHEN COUNT(ebitda) = 4       THEN SUM(ebitda) END       AS ebitda,
           CASE WHEN COUNT(ebit) = 4         THEN SUM(ebit) END         AS ebit,
           CASE WHEN COUNT(interest) = 4     THEN SUM(interest) END     AS interest,
           CASE WHEN COUNT(interest_paid) = 4 THEN SUM(interest_paid) END AS interest_paid,
           CASE WHEN COUNT(net_interest) = 4 THEN SUM(net_interest) END AS net_interest,
           CASE WHEN COUNT(pat) = 4          THEN SUM(pat) END          AS pat,
           -- Not over a split that no file has: the quarters are of other shares then.
           CASE WHEN COUNT(eps_diluted) = 4 AND COALESCE(MAX(shares_diluted) <= 1.9 * MIN(shares_diluted), TRUE) THEN SUM(eps_diluted) END AS eps,
           CASE WHEN COUNT(cfo) = 4          THEN SUM(cfo) END          AS cfo,
           CASE WHEN COUNT(fcf) = 4          THEN SUM(fcf) END          AS fcf
    FROM   quarters
    WHERE  quarters_back < 4
    GROUP  BY symbol
),
-- The last year where it ends with the newest quarter or later, else the last four quarters.
flows AS (
    SELECT COALESCE(q.symbol, y.symbol)      AS symbol,
           CASE WHEN y.period_end > q.ttm_end + 10 THEN y.period ELSE COALESCE(q.ttm_period, y.period) END AS ttm_period,
           GREATEST(q.ttm_end, y.period_end) AS ttm_end,
           CASE WHEN q.symbol IS NULL OR y.period_end > q.ttm_end + 10 THEN 400 ELSE 200 END AS days_valued,
           COALESCE(q.basis, y.basis_0)      AS basis,
           COALESCE(q.currency, y.currency)  AS currency,
           GREATEST(q.known_on, y.announced_on) AS known_on,
           y.period                          AS fiscal_period,
           CASE WHEN q.symbol IS NULL OR y.period_end >= q.ttm_end - 10 THEN y.revenue_0 ELSE q.revenue END AS revenue,
           CASE WHEN q.symbol IS NULL OR y.period_end >= q.ttm_end - 10 THEN y.gross_profit_0 ELSE q.gross_profit END AS gross_profit,
           CASE WHEN q.symbol IS NULL OR y.period_end >= q.ttm_end - 10 THEN y.ebitda ELSE q.ebitda END AS ebitda,
           CASE WHEN q.symbol IS NULL OR y.period_end >= q.ttm_end - 10 THEN y.ebit ELSE q.ebit END AS ebit,
           CASE WHEN q.symbol IS NULL OR y.period_end >= q.ttm_end - 10 THEN y.interest ELSE q.interest END AS interest,
           CASE WHEN q.symbol IS NULL OR y.period_end >= q.ttm_end - 10 THEN y.interest_paid ELSE q.interest_paid END AS interest_paid,
           CASE WHEN q.symbol IS NULL OR y.period_end >= q.ttm_end - 10 THEN y.net_interest ELSE q.net_interest END AS net_interest,
           CASE WHEN q.symbol IS NULL OR y.period_end >= q.ttm_end - 10 THEN y.pat_0 ELSE q.pat END AS pat,
           CASE WHEN q.symbol IS NULL OR y.period_end >= q.ttm_end - 10 THEN y.eps_diluted ELSE q.eps END AS eps,
           CASE WHEN q.symbol IS NULL OR y.period_end >= q.ttm_end - 10 THEN y.cfo ELSE COALESCE(q.cfo, y.cfo) END AS cfo,
           CASE WHEN q.symbol IS NULL OR y.period_end >= q.ttm_end - 10 THEN y.fcf ELSE COALESCE(q.fcf, y.fcf) END AS fcf,
           CASE WHEN q.symbol IS NULL OR y.period_end >= q.ttm_end - 10 OR q.cfo IS NULL THEN y.ebitda ELSE q.ebitda END AS ebitda_of_cfo,
           y.dividend_per_share,
           y.profitable_years_10y,
           y.revenue_0,
           y.revenue_1,
           y.revenue_3,
           y.revenue_5,
           y.pat_0,
           y.pat_1,
           y.pat_3,
           y.pat_5,
           y.shares_diluted_0 AS diluted_0,
           y.shares_diluted_1 AS diluted_1,
           CASE
               WHEN y.basis_1 = y.basis_0 AND y.basis_2 = y.basis_0 AND y.pat_0 IS NOT NULL
               AND  y.total_assets_1 > 0 AND y.total_assets_2 > 0
               AND  y.current_liabilities_0 > 0 AND y.current_liabilities_1 > 0
               AND  y.revenue_0 > 0 AND y.revenue_1 > 0
               THEN CAST(
                   CAST(y.pat_0 / y.total_assets_1 > 0 AS INT)
                   + CAST(y.cfo > 0 AS INT)
                   + CAST(y.pat_0 / y.total_assets_1 > y.pat_1 / y.total_assets_2 AS INT)
                   + CAST(y.cfo > y.pat_0 AS INT)
                   + CAST(COALESCE(y.long_term_debt_0 / y.total_assets_1 - y.long_term_debt_1 / y.total_assets_2,
                                   y.total_debt_0 / y.total_assets_1 - y.total_debt_1 / y.total_assets_2) < 0 AS INT)
                   + CAST(y.current_assets_0 / y.current_liabilities_0 - y.current_assets_1 / y.current_liabilities_1 > 0 AS INT)
                   + CAST(COALESCE(y.shares_outstanding_0 - y.shares_outstanding_1, y.shares_diluted_0 - y.shares_diluted_1) <= 0 AS INT)
                   + CAST(y.gross_profit_0 / y.revenue_0 - y.gross_profit_1 / y.revenue_1 > 0 AS INT)
                   + CAST(y.revenue_0 / y.total_assets_1 - y.revenue_1 / y.total_assets_2 > 0 AS INT) AS BIGINT)
           END AS piotroski_f
    FROM   fours q
    FULL   JOIN years y ON y.symbol = q.symbol
),
-- One balance sheet a day: the year's, where a year and a quarter end together.
sheets AS (
    SELECT *,
           first_value(period_end) OVER newest_first AS newest,
           first_value(basis)      OVER newest_first AS newest_basis
    FROM   (SELECT *, ROW_NUMBER() OVER (PARTITION BY symbol, period_end ORDER BY period_type) AS turn
            FROM   reported
            WHERE  (total_assets IS NOT NULL OR equity IS NOT NULL) AND age <= 15)
    WHERE  turn = 1
    WINDOW newest_first AS (PARTITION BY symbol ORDER BY period_end DESC)
),
dated AS (
    SELECT *,
           MAX(CASE WHEN basis = newest_basis AND period_end BETWEEN newest - 380 AND newest - 350 THEN period_end END)
               OVER (PARTITION BY symbol) AS past
    FROM   sheets
),
-- The newest one beside that of a year before.
balances AS (
    SELECT symbol,
           MAX(newest)                                                  AS balance_date,
           MAX(newest_basis)                                            AS basis,
           MAX(currency)            FILTER (WHERE period_end = newest)  AS currency,
           MAX(announced_on)        FILTER (WHERE period_end = newest)  AS announced_on,
           MAX(total_assets)        FILTER (WHERE period_end = newest)  AS total_assets,
           MAX(current_assets)      FILTER (WHERE period_end = newest)  AS current_assets,
           MAX(current_liabilities) FILTER (WHERE period_end = newest)  AS current_liabilities,
           MAX(total_liabilities)   FILTER (WHERE period_end = newest)  AS total_liabilities,
           MAX(total_debt)          FILTER (WHERE period_end = newest)  AS total_debt,
           MAX(cash)                FILTER (WHERE period_end = newest)  AS cash,
           MAX(equity)              FILTER (WHERE period_end = newest)  AS equity,
           MAX(COALESCE(retained_earnings, reserves)) FILTER (WHERE period_end = newest) AS retained,
           MAX(shares_outstanding)  FILTER (WHERE period_end = newest)  AS shares_outstanding,
           MAX(deposits)            FILTER (WHERE period_end = newest)  AS deposits,
           MAX(advances_to_customers) FILTER (WHERE period_end = newest) AS advances,
           MAX(gross_npa)           FILTER (WHERE period_end = newest)  AS gross_npa,
           MAX(tier1_pct) FILTER (WHERE period_end = newest) AS tier1_pct,
           -- Deposits are what only some take; debt is what all must tell.
           MAX(total_debt + COALESCE(deposits, 0)) FILTER (WHERE period_end = newest) AS funds,
           MAX(total_debt + COALESCE(deposits, 0)) FILTER (WHERE period_end = past)   AS funds_before,
           MAX(total_assets)        FILTER (WHERE period_end = past)    AS assets_before,
           MAX(equity)              FILTER (WHERE period_end = past)    AS equity_before,
           MAX(shares_outstanding)  FILTER (WHERE period_end = past)    AS shares_before
    FROM   dated
    GROUP  BY symbol
),
home AS (
    SELECT CASE market() WHEN 'india' THEN 'INR' ELSE 'USD' END AS currency
),
valued AS (
    SELECT *,
           CASE
               WHEN currency <> (SELECT currency FROM home) THEN 'Its statements are in ' || currency || ', which is not the market''s currency.'
               WHEN ttm_end < as_of() - days_valued THEN
                   'Its newest results end on ' || CAST(ttm_end AS TEXT) || ', more than ' || CAST(days_valued AS TEXT) || ' days before the price.'
           END AS unvalued_because
    FROM   flows
),
joined AS (
    SELECT s.symbol,
           s.sector,
           s.industry,
           CASE WHEN (SELECT COUNT(industry) FROM companies) > 0 THEN s.industry ELSE s.sector END AS field,
           COALESCE(s.session >= session_ago(4), TRUE) AS is_eligible,
           s.price_cmp,
           s.market_cap,
           s.market_cap_assumed,
           CASE WHEN f.symbol IS NOT NULL AND f.unvalued_because IS NULL AND NOT s.market_cap_assumed THEN s.market_cap END AS cap,
           CASE WHEN f.symbol IS NOT NULL AND f.unvalued_because IS NULL THEN s.price_cmp END  AS price,
           k.is_financial,
           k.business_kind,
           k.business_kind IN ('bank', 'lender', 'insurer') AS is_lender,
           k.business_kind IN ('bank', 'lender')            AS is_funded,
           CASE
               WHEN s.sector IS NULL THEN NULL
               WHEN m.sector IS NOT NULL THEN 'Z'
               ELSE 'Z'''''
           END AS model,
           f.* EXCEPT (symbol, known_on, basis, currency, days_valued),
           COALESCE(f.basis, n.basis)       AS basis,
           COALESCE(f.currency, n.currency) AS currency,
           GREATEST(f.known_on, n.announced_on) AS statements_known_on,
           n.* EXCEPT (symbol, basis, currency, announced_on)
    FROM   (SELECT c.symbol, c.sector, c.industry, p.session, p.price_cmp, p.market_cap, p.market_cap_assumed
            FROM   companies c
            LEFT   JOIN stocks p ON p.symbol = c.symbol) s
    JOIN   business_kinds k ON k.symbol = s.symbol
    LEFT   JOIN valued f   ON f.symbol = s.symbol
    LEFT   JOIN balances n ON n.symbol = s.symbol
    LEFT   JOIN manufacturing_sectors m ON m.sector = s.sector
),
altman AS (
    SELECT *,
           CASE WHEN total_assets > 0 THEN (current_assets - current_liabilities) / total_assets END AS x1,
           CASE WHEN total_assets > 0 THEN retained / total_assets END                               AS x2,
           CASE WHEN total_assets > 0 THEN ebit / total_assets END                                   AS x3,
           CASE WHEN total_liabilities > 0 THEN cap / total_liabilities END                          AS x4_market,
           CASE WHEN total_liabilities > 0 THEN equity / total_liabilities END                       AS x4_book,
           CASE WHEN total_assets > 0 THEN revenue / total_assets END                                AS x5,
           SUM(CASE WHEN is_eligible AND revenue > 0 THEN revenue END) OVER (PARTITION BY field)     AS field_revenue,
           2 * COUNT(CASE WHEN is_eligible THEN revenue END) OVER (PARTITION BY field)
               >= COUNT(CASE WHEN is_eligible THEN 1 END) OVER (PARTITION BY field) AS is_field_known
    FROM   joined
),
scored AS (
    SELECT *,
           CASE
               WHEN is_lender OR model IS NULL THEN NULL
               WHEN model = 'Z' THEN 1.2 * x1 + 1.4 * x2 + 3.3 * x3 + 0.6 * x4_market + 1.0 * x5
               ELSE 3.25 + 6.56 * x1 + 3.26 * x2 + 6.72 * x3 + 1.05 * x4_book
           END AS altman_z_score
    FROM   altman
)
SELECT symbol,
       sector,
       industry,
       is_eligible,
       is_financial,
       business_kind,
       ttm_period,
       ttm_end,
       balance_date,
       fiscal_period,
       basis,
       currency,
       COALESCE(CASE WHEN price_cmp IS NULL THEN 'No price of it is on file.' END, unvalued_because) AS unvalued_because,
       statements_known_on,
       price_cmp,
       market_cap,
       market_cap_assumed,
       revenue  AS revenue_ttm,
       ebitda   AS ebitda_ttm,
       ebit     AS ebit_ttm,
       interest AS interest_ttm,
       pat      AS pat_ttm,
       eps      AS eps_ttm,
       cfo      AS cfo_ttm,
       CASE WHEN NOT is_lender THEN fcf END                     AS fcf_ttm,
       CASE WHEN NOT is_lender THEN cap + total_debt - cash END AS enterprise_value,
       CASE WHEN pat > 0 THEN cap / pat END         AS pe,
       CASE WHEN equity > 0 THEN cap / equity END   AS pb,
       CASE WHEN revenue > 0 THEN cap / revenue END AS ps,
       CASE WHEN NOT is_lender AND ebitda > 0 THEN (cap + total_debt - cash) / ebitda END AS ev_ebitda,
       CASE WHEN NOT is_lender AND cap > 0 THEN 100 * fcf / cap END   AS fcf_yield,
       CASE WHEN price > 0 THEN 100 * dividend_per_share / price END AS dividend_yield,
       CASE WHEN total_assets > current_liabilities THEN 100 * ebit / (total_assets - current_liabilities) END AS roce,
       CASE WHEN equity > 0 AND equity_before > 0 THEN 200 * pat / (equity + equity_before) END AS roe,
       CASE WHEN total_assets > 0 AND assets_before > 0 THEN 200 * pat / (total_assets + assets_before) END AS roa,
       CASE WHEN revenue > 0 THEN 100 * ebitda / revenue END       AS opm_pct,
       CASE WHEN revenue > 0 THEN 100 * gross_profit / revenue END AS gross_margin_pct,
       CASE WHEN revenue > 0 THEN 100 * pat / revenue END          AS net_margin_pct,
       CASE WHEN equity > 0 THEN total_debt / equity END           AS de,
       CASE WHEN NOT is_lender AND current_liabilities > 0 THEN current_assets / current_liabilities END AS current_ratio,
       CASE WHEN interest > 0 THEN ebit / interest END             AS interest_cover,
       CASE WHEN ebitda_of_cfo > 0 THEN cfo / ebitda_of_cfo END    AS cash_conversion,
       CASE WHEN total_assets > 0 AND assets_before > 0 THEN 2 * revenue / (total_assets + assets_before) END AS asset_turnover,
       COALESCE(CASE WHEN shares_before > 0 THEN 100 * (shares_outstanding / shares_before - 1) END,
                CASE WHEN diluted_1 > 0 THEN 100 * (diluted_0 / diluted_1 - 1) END) AS dilution_pct,
       CASE WHEN revenue_0 > 0 AND revenue_1 > 0 THEN 100 * (revenue_0 / revenue_1 - 1) END AS revenue_growth_1y,
       CASE WHEN revenue_0 > 0 AND revenue_3 > 0 THEN 100 * (POWER(revenue_0 / revenue_3, 1.0 / 3) - 1) END AS revenue_cagr_3y,
       CASE WHEN revenue_0 > 0 AND revenue_5 > 0 THEN 100 * (POWER(revenue_0 / revenue_5, 1.0 / 5) - 1) END AS revenue_cagr_5y,
       CASE WHEN pat_0 > 0 AND pat_1 > 0 THEN 100 * (pat_0 / pat_1 - 1) END AS pat_growth_1y,
       CASE WHEN pat_0 > 0 AND pat_3 > 0 THEN 100 * (POWER(pat_0 / pat_3, 1.0 / 3) - 1) END AS pat_cagr_3y,
       CASE WHEN pat_0 > 0 AND pat_5 > 0 THEN 100 * (POWER(pat_0 / pat_5, 1.0 / 5) - 1) END AS pat_cagr_5y,
       CASE WHEN pat_0 <= 0 AND pat_1 > 0 THEN 'to loss' WHEN pat_0 > 0 AND pat_1 <= 0 THEN 'to profit' END AS pat_swing_1y,
       CASE WHEN pat_0 <= 0 AND pat_3 > 0 THEN 'to loss' WHEN pat_0 > 0 AND pat_3 <= 0 THEN 'to profit' END AS pat_swing_3y,
       CASE WHEN pat_0 <= 0 AND pat_5 > 0 THEN 'to loss' WHEN pat_0 > 0 AND pat_5 <= 0 THEN 'to profit' END AS pat_swing_5y,
       profitable_years_10y,
       CASE WHEN field IS NOT NULL AND is_field_known AND is_eligible AND field_revenue > 0 AND revenue >= 0
           THEN 100 * revenue / field_revenue
       END AS industry_revenue_share,
       altman_z_score,
       CASE WHEN altman_z_score IS NOT NULL THEN model END AS altman_model,
       CASE
           WHEN altman_z_score IS NULL THEN NULL
           WHEN model = 'Z' THEN CASE WHEN altman_z_score > 2.99 THEN 'safe' WHEN altman_z_score < 1.81 THEN 'distress' ELSE 'grey' END
           ELSE CASE WHEN altman_z_score > 5.85 THEN 'safe' WHEN altman_z_score < 4.15 THEN 'distress' ELSE 'grey' END
       END AS altman_zone,
       CASE WHEN NOT is_lender THEN piotroski_f END AS piotroski_f,
       CASE WHEN is_lender AND total_assets > 0 THEN 100 * equity / total_assets END AS equity_to_assets,
       CASE WHEN is_lender THEN tier1_pct END AS tier1_pct,
       CASE WHEN is_funded AND advances > 0 THEN 100 * gross_npa / advances END AS gnpa_pct,
       CASE WHEN is_funded AND funds + funds_before > 0 THEN 200 * interest_paid / (funds + funds_before) END AS cost_of_funds,
       CASE WHEN is_funded AND total_assets > 0 AND assets_before > 0 THEN 200 * net_interest / (total_assets + assets_before) END AS margin_on_assets
FROM   scored
ORDER  BY symbol
