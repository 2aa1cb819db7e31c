-- Explorer: bulk and block deals of all companies by side, client, kind and value, the newest first, within a day the largest.
--
-- An operation of the explorer. A deal has two sides; each is a row if the exchange reports it. `client` is a part of the client's name as the
-- exchange writes it; capitals do not matter. A deal without a value is left out where a smallest value is given.
--
-- tool:   none
-- tier:   api_pro
-- group:  Explorer
-- answer: list
-- param:  days         int = 14 in 1..365                "Calendar days to look back from the market's date." e.g. 30
-- param:  side         text = all in (buy, sell, all)    "Which side to keep."
-- param:  client       text? in 2..80                    "Part of the client's name." e.g. CAPITAL
-- param:  min_value_cr number? in 0..1000000             "Smallest value of a deal in crore." e.g. 10
-- param:  deal_type    text = all in (bulk, block, all)  "Which kind to keep."
-- param:  sector       text? among sectors.sector        "Only this sector; capitals do not matter." e.g. Financial Services
-- param:  limit        int = 50 in 1..500                "Rows to return." e.g. 5
SELECT d.symbol,
       COALESCE(c.company_name, d.security_name) AS company_name,
       c.sector,
       d.deal_date,
       d.side,
       d.client,
       d.value_cr,
       d.quantity,
       d.price,
       d.deal_type,
       d.remarks,
       d.source
FROM   deals d
LEFT   JOIN companies c ON c.symbol = d.symbol
WHERE  d.deal_date >= as_of() - $days
AND    d.deal_date <= as_of()
AND    ($side = 'all' OR d.side = $side)
AND    ($client IS NULL OR strpos(upper(d.client), upper($client)) > 0)
AND    ($min_value_cr IS NULL OR d.value_cr >= $min_value_cr)
AND    ($deal_type = 'all' OR d.deal_type = $deal_type)
AND    ($sector IS NULL OR c.sector = $sector)
ORDER  BY d.deal_date DESC, d.value_cr DESC NULLS LAST, d.symbol, d.sequence
LIMIT  $limit
