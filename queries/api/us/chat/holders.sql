-- Chat: what institutional investors hold and changed over the last quarter, the largest changes in value first.
--
-- From the newest 13F report of each investor against the one of the quarter before. A position that was closed is not in the newest
-- report and so has no row.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- param:  symbols  list? of companies.symbol in 0..50 "Only these tickers, with commas between." e.g. BAQEBO
-- param:  investor text? in 1..100 "Only investors whose name has these words." e.g. a
-- param:  changes  list? in 0..4 "Only these changes, with commas between: new, increased, reduced, unchanged." e.g. new,unchanged
-- param:  limit    int = 25 in 1..200 "Rows to return." e.g. 10
-- column: position_usd_m number  usd_million "Value of the position."
-- column: change_usd_m number? usd_million "Value of the shares that were added, negative of those taken away, at the price of the report."
SELECT investor,
       symbol,
       issuer,
       position_change,
       shares,
       shares_change,
       shares_change_pct,
       value_usd / 1e6 AS position_usd_m,
       CASE WHEN shares > 0 THEN value_usd / 1e6 * shares_change / shares END AS change_usd_m,
       portfolio_pct,
       report_date
FROM   investor_holdings
WHERE  ($symbols IS NULL OR array_has($symbols, symbol))
AND    ($investor IS NULL OR strpos(lower(investor), lower($investor)) > 0)
AND    ($changes IS NULL OR array_has($changes, position_change))
ORDER  BY abs(CASE WHEN shares > 0 THEN value_usd * shares_change / shares END) DESC NULLS LAST, value_usd DESC, investor, cusip
LIMIT  $limit
