-- Short sales of a company's shares by session, the newest first.
--
-- tool:   get_short_sales
-- tier:   api_pro
-- group:  Company Intel
-- answer: list
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  limit  int = 20 in 1..50 "Rows to return." e.g. 5
SELECT session,
       short_quantity
FROM   short_sales
WHERE  symbol = $symbol
ORDER  BY session DESC
LIMIT  $limit
