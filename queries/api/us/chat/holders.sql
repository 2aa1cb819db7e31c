-- Chat: what institutional investors hold and changed over the last quarter: of one investor the largest positions first, else the largest changes in value.
--
-- From the newest 13F report of each investor against the one of the quarter before. A position that was closed has the value that it had
-- before; one whose security got another number is closed under the old one and new under the other. Without the table of positions of the
-- quarter before, those that were sold are not known: `sold_known` is false then.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- optional: investor_positions
-- param:  symbols  list? of companies.symbol in 0..50 "Only these tickers, with commas between." e.g. BAQEBO
-- param:  investor text? in 1..100 "Only investors whose name has these words." e.g. a
-- param:  changes  list? in 0..4 "Only these changes, with commas between: new, increased, reduced, unchanged, sold." e.g. new,unchanged
-- param:  limit    int = 25 in 1..200 "Rows to return." e.g. 10
-- column: position_usd_m number  usd_million "Value of the position; 0 of one that was sold."
-- column: change_usd_m number? usd_million "Value of the shares that were added, negative of those taken away, at the price of the report; of a position that was sold, at that of the report before."
-- column: sold_known bool "Whether positions that were sold are known; if not, none is listed although there may be some."
WITH moved AS (
    SELECT investor,
           cusip,
           symbol,
           issuer,
           position_change,
           shares,
           shares_change,
           shares_change_pct,
           value_usd,
           CASE WHEN shares > 0 THEN value_usd * shares_change / shares END AS change_usd,
           portfolio_pct,
           report_date
    FROM   investor_holdings
    UNION  ALL
    SELECT n.investor,
           b.cusip,
           b.symbol,
           b.issuer,
           'sold',
           0,
           -b.shares,
           -100.0,
           0.0,
           -b.value_usd,
           0.0,
           n.report_date
    FROM   (SELECT DISTINCT cik, investor, report_date, prior_report_date FROM investor_holdings) n
    JOIN   investor_positions b ON b.cik = n.cik AND b.report_date = n.prior_report_date
    LEFT   JOIN investor_positions p
           ON p.cik = n.cik AND p.report_date = n.report_date AND p.cusip = b.cusip AND p.option_type = b.option_type
    WHERE  b.option_type = 'none'
    AND    b.shares IS NOT NULL
    AND    p.cusip IS NULL
)
SELECT investor,
       symbol,
       issuer,
       position_change,
       shares,
       shares_change,
       shares_change_pct,
       value_usd / 1e6  AS position_usd_m,
       change_usd / 1e6 AS change_usd_m,
       portfolio_pct,
       report_date,
       (SELECT COUNT(*) > 0 FROM investor_positions) AS sold_known
FROM   moved
WHERE  ($symbols IS NULL OR array_has($symbols, symbol))
AND    ($investor IS NULL OR strpos(lower(investor), lower($investor)) > 0)
AND    ($changes IS NULL OR array_has($changes, position_change))
ORDER  BY CASE WHEN $investor IS NOT NULL AND $changes IS NULL THEN value_usd END DESC NULLS LAST,
          abs(change_usd) DESC NULLS LAST, value_usd DESC, investor, cusip
LIMIT  $limit
