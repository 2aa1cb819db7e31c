-- Bulk and block deals, the newest first, within a day the largest.
--
-- A deal has two sides; each is a row if the exchange reports it.
--
-- tool:   get_bulk_block_deals
-- tier:   api_pro
-- group:  Feeds
-- answer: list
-- param:  days      int = 14 in 1..90                "Calendar days to look back from the market's date." e.g. 30
-- param:  deal_type text = all in (bulk, block, all) "Which kind to keep."
-- param:  sector    text? among sectors.sector "Only this sector; capitals do not matter." e.g. Financial Services
-- param:  limit     int = 25 in 1..50                "Rows to return." e.g. 5
SELECT d.symbol,
       COALESCE(c.company_name, d.security_name) AS company_name,
       c.sector,
       d.deal_date,
       d.deal_type,
       d.client,
       d.side,
       d.quantity,
       d.price,
       d.value_cr,
       d.remarks,
       d.source
FROM   deals d
LEFT   JOIN companies c ON c.symbol = d.symbol
WHERE  d.deal_date >= as_of() - $days
AND    d.deal_date <= as_of()
AND    ($deal_type = 'all' OR d.deal_type = $deal_type)
AND    ($sector IS NULL OR c.sector = $sector)
ORDER  BY d.deal_date DESC, d.value_cr DESC, d.symbol, d.sequence
LIMIT  $limit
