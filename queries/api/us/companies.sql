-- Search of US companies by name or ticker.
--
-- Without a search text it lists the companies that traded in the last five sessions, the largest first. With a search text, an exact match
-- of the ticker comes first, then tickers and names that start with the text, then those that contain it, and last companies that did not
-- trade in these sessions.
--
-- tool:   us_search_companies
-- tier:   free
-- group:  US Markets
-- answer: list
-- param:  query  text? in 1..100 "Part of the name or the ticker." e.g. in
-- param:  sector text? among sectors.sector "Only this sector; capitals do not matter." e.g. Technology
-- param:  limit  int = 10 in 1..50 cap(free 20, paid 50) "Rows to return: free keys 20 at the most, paid keys 50." e.g. 5
SELECT symbol,
       company_name,
       sector,
       industry,
       exchange,
       market_cap_b,
       market_cap_assumed,
       rs_rating
FROM   stocks
WHERE  ($query IS NOT NULL OR session >= session_ago(4))
AND    ($query IS NULL OR contains(upper(symbol), upper($query)) OR contains(upper(company_name), upper($query)))
AND    ($sector IS NULL OR sector = $sector)
ORDER  BY CASE
              WHEN $query IS NULL THEN 0
              WHEN upper(symbol) = upper($query) THEN 0
              WHEN session < session_ago(4) THEN 3
              WHEN starts_with(upper(symbol), upper($query)) OR starts_with(upper(company_name), upper($query)) THEN 1
              ELSE 2
          END,
          market_cap_b DESC NULLS LAST,
          symbol
LIMIT  $limit
