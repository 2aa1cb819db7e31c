-- Investor holdings: the shares that the followed investors hold at the end of their newest quarter, against the quarter before.
--
-- The share of the portfolio is relative to everything that the report lists, including options and bonds, which have no rows here. A
-- report that is more than a year older than the market's date is not shown. Shares of the quarter before are adjusted for later splits.
-- A security whose CUSIP changed since, as it does with a reverse split, is found by its symbol if one position of each report has it.
-- Where prices made an unexplained jump between both reports, nothing is known of the shares before.
--
-- market:  us
-- key:     cik, cusip
-- sorted:  symbol, cik, cusip
-- formula: investor holdings 3
-- column: cik               text
-- column: investor          text
-- column: style             text?
-- column: report_date       date
-- column: filed_on          date
-- column: cusip             text
-- column: symbol            text?
-- column: issuer            text
-- column: share_class       text?
-- column: shares            int shares
-- column: value_usd         number money
-- column: portfolio_pct     number? pct    "Value of the position in percent of the portfolio."
-- column: portfolio_rank    int rank       "Place of the position in the portfolio by value."
-- column: portfolio_value_usd number money "Value of all positions that the report lists, in dollars."
-- column: portfolio_positions int count    "Securities that the report lists, including options and bonds."
-- column: prior_report_date date?          "Last day of the quarter before; null without a report of that quarter."
-- column: prior_shares      int? shares    "Shares held a quarter before, with the splits since; null without a report of it, and where prices jumped unexplained since."
-- column: shares_change     int? shares    "Shares now less those of the quarter before."
-- column: shares_change_pct number? pct    "Change of the shares since the quarter before."
-- column: source            text?
-- column: position_change   text?          "new, increased, reduced or unchanged (by one in 100,000 at most, as factors of splits are rounded) since the quarter before."
WITH reports AS (
    SELECT p.cik,
           p.report_date,
           MAX(p.filed_on)  AS filed_on,
           SUM(p.value_usd) AS portfolio_value_usd,
           COUNT(*)         AS portfolio_positions,
           LAG(p.report_date) OVER (PARTITION BY p.cik ORDER BY p.report_date)          AS report_before,
           ROW_NUMBER()       OVER (PARTITION BY p.cik ORDER BY p.report_date DESC) AS age
    FROM   investor_positions p
    WHERE  p.filed_on <= as_of()
    GROUP  BY p.cik, p.report_date
),
newest AS (
    SELECT cik,
           report_date,
           filed_on,
           portfolio_value_usd,
           portfolio_positions,
           CASE WHEN report_date - report_before <= 100 THEN report_before END AS prior_report_date
    FROM   reports
    WHERE  age = 1
    AND    report_date > as_of() - 366
),
splits AS (
    SELECT n.cik,
           a.symbol,
           EXP(SUM(LN(a.factor))) AS factor
    FROM   newest n
    JOIN   corporate_actions a ON a.ex_date > n.prior_report_date AND a.ex_date <= n.report_date
    WHERE  a.action_type IN ('split', 'bonus')
    GROUP  BY n.cik, a.symbol
),
alone AS (
    -- The only position in shares of a symbol in a report.
    SELECT cik,
           report_date,
           symbol,
           MAX(cusip)  AS cusip,
           MAX(shares) AS shares
    FROM   investor_positions
    WHERE  option_type = 'none'
    AND    shares IS NOT NULL
    AND    symbol IS NOT NULL
    GROUP  BY cik, report_date, symbol
    HAVING COUNT(*) = 1
),
renamed AS (
    SELECT n.cik,
           a.cusip,
           b.shares
    FROM   newest n
    JOIN   alone a ON a.cik = n.cik AND a.report_date = n.report_date
    JOIN   alone b ON b.cik = n.cik AND b.report_date = n.prior_report_date AND b.symbol = a.symbol
    WHERE  b.cusip <> a.cusip
),
jumps AS (
    SELECT DISTINCT
           n.cik,
           j.symbol
    FROM   newest n
    JOIN   price_jumps j ON j.session > n.prior_report_date AND j.session <= n.report_date
),
held AS (
    SELECT i.cik,
           i.investor,
           i.style,
           n.report_date,
           n.filed_on,
           p.cusip,
           p.symbol,
           p.issuer,
           p.share_class,
           p.shares,
           p.value_usd,
           p.source,
           100 * p.value_usd / NULLIF(n.portfolio_value_usd, 0) AS portfolio_pct,
           ROW_NUMBER() OVER (PARTITION BY i.cik ORDER BY p.value_usd DESC, p.cusip) AS portfolio_rank,
           n.portfolio_value_usd,
           n.portfolio_positions,
           n.prior_report_date,
           CASE
               WHEN n.prior_report_date IS NOT NULL AND j.symbol IS NULL
               THEN CAST(ROUND(COALESCE(b.shares, r.shares, 0) / COALESCE(s.factor, 1)) AS BIGINT)
           END AS prior_shares
    FROM   investors i
    JOIN   newest n ON n.cik = i.cik
    JOIN   investor_positions p ON p.cik = n.cik AND p.report_date = n.report_date
    LEFT   JOIN investor_positions b
           ON b.cik = n.cik AND b.report_date = n.prior_report_date AND b.cusip = p.cusip AND b.option_type = p.option_type
    LEFT   JOIN renamed r ON r.cik = n.cik AND r.cusip = p.cusip
    LEFT   JOIN splits s ON s.cik = p.cik AND s.symbol = p.symbol
    LEFT   JOIN jumps j ON j.cik = p.cik AND j.symbol = p.symbol
    WHERE  p.option_type = 'none'
    AND    p.shares IS NOT NULL
)
SELECT cik,
       investor,
       style,
       report_date,
       filed_on,
       cusip,
       symbol,
       issuer,
       share_class,
       shares,
       value_usd,
       portfolio_pct,
       portfolio_rank,
       portfolio_value_usd,
       portfolio_positions,
       prior_report_date,
       prior_shares,
       shares - prior_shares                                 AS shares_change,
       100.0 * (shares - prior_shares) / NULLIF(prior_shares, 0) AS shares_change_pct,
       source,
       CASE
           WHEN prior_shares IS NULL THEN NULL
           WHEN prior_shares = 0 THEN 'new'
           WHEN abs(shares - prior_shares) <= 1e-5 * prior_shares THEN 'unchanged'
           WHEN shares > prior_shares THEN 'increased'
           WHEN shares < prior_shares THEN 'reduced'
           ELSE 'unchanged'
       END AS position_change
FROM   held
ORDER  BY symbol, cik, cusip
