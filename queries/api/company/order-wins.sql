-- Orders that a company won, the newest first.
--
-- Values are those of the company's filing; `revenue_share_pct` relates them to the revenue of the last four quarters and is null without
-- statements.
--
-- tool:   get_order_wins
-- tier:   api_pro
-- group:  Company Intel
-- answer: list
-- optional: fundamentals
-- param:  symbol  text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  limit   int = 10 in 1..25 "Rows to return." e.g. 5
-- column: revenue_share_pct number? pct "Value of the order in percent of the revenue of the last four quarters."
SELECT o.symbol,
       c.company_name,
       o.filed_on,
       o.title,
       o.client,
       o.segment,
       o.geography,
       o.value_cr,
       CASE WHEN f.revenue_ttm > 0 THEN 100 * o.value_cr * 1e7 / f.revenue_ttm END AS revenue_share_pct,
       o.execution_months,
       o.ai_summary,
       o.confidence,
       o.source
FROM   order_wins o
LEFT   JOIN companies c ON c.symbol = o.symbol
LEFT   JOIN fundamentals f ON f.symbol = o.symbol
WHERE  o.symbol = $symbol
AND    o.filed_on <= as_of()
ORDER  BY o.filed_on DESC, o.value_cr DESC NULLS LAST, o.title
LIMIT  $limit
