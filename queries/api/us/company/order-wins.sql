-- Contracts of US companies from their 8-K filings: orders, credit lines, leases, agreements to merge; the newest first.
--
-- Without a symbol, it is the feed of all companies. Analysts or language models write the texts.
--
-- tool:   us_get_order_wins
-- tier:   api_pro
-- group:  US Markets
-- answer: list
-- param:  symbol        text?  "Ticker of the company; if omitted, all companies." e.g. BAQEBO
-- param:  contract_type text = all in (order_win, credit_facility, lease, ma_agreement, other, all) "Kind of contract to keep."
-- param:  days          int = 90 in 1..365 "Calendar days to look back from the market's date." e.g. 365
-- param:  limit         int = 20 in 1..50 "Rows to return." e.g. 5
SELECT o.symbol,
       c.company_name,
       c.sector,
       o.filed_on,
       o.contract_type,
       o.title,
       o.value_usd_m,
       o.client,
       o.segment,
       o.geography,
       o.ai_summary,
       o.confidence,
       o.accession,
       o.source
FROM   order_wins o
LEFT   JOIN companies c ON c.symbol = o.symbol
WHERE  ($symbol IS NULL OR o.symbol = $symbol)
AND    ($contract_type = 'all' OR o.contract_type = $contract_type)
AND    o.filed_on >= as_of() - $days
AND    o.filed_on <= as_of()
ORDER  BY o.filed_on DESC, o.value_usd_m DESC NULLS LAST, o.symbol, o.title
LIMIT  $limit
