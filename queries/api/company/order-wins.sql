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
-- own-param:  symbol  text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- feeds-param:  days       int = 30 in 1..90 "Calendar days to look back from the market's date." e.g. 90
-- feeds-param:  confidence text = all in (high, medium, all) "Confidence of the reading of the filing."
-- feeds-param:  sector     text? among sectors.sector "Only this sector; capitals do not matter." e.g. Capital Goods
-- param:  limit   int = 10 in 1..25 "Rows to return." e.g. 5
-- column: revenue_share_pct number? pct "Value of the order in percent of the revenue of the last four quarters."
-- also: feeds/order-wins
-- own-omit: sector
-- feeds-title: Orders that companies won, the newest first, within a day the largest
-- feeds-prose: Values are those of the companies' filings; `revenue_share_pct` relates them to the revenue of the last four quarters and is
-- feeds-prose: null without statements.
-- feeds-tool:   get_order_wins_feed
-- feeds-group:  Feeds
-- feeds-param:  limit      int = 25 in 1..50 "Rows to return." e.g. 5
SELECT o.symbol,
       c.company_name,
       c.sector,
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
WHERE  o.filed_on <= as_of()
AND    ($symbol IS NULL OR o.symbol = $symbol)
AND    ($days IS NULL OR o.filed_on >= as_of() - $days)
AND    ($confidence IS NULL OR $confidence = 'all' OR o.confidence = $confidence)
AND    ($sector IS NULL OR c.sector = $sector)
ORDER  BY o.filed_on DESC, o.value_cr DESC NULLS LAST, o.symbol, o.title
LIMIT  $limit
