-- The positions of an investor come to no more than its portfolio, each with its part of it.
--
-- market: us
-- severity: row
SELECT cik, investor, report_date, SUM(value_usd) AS value_usd, MAX(portfolio_value_usd) AS portfolio_value_usd
FROM   investor_holdings
GROUP  BY cik, investor, report_date
HAVING SUM(value_usd) > MAX(portfolio_value_usd) * 1.000001
    OR SUM(portfolio_pct) > 100.0001
    OR MIN(portfolio_pct) < 0
ORDER  BY cik
