-- Search of companies by name or symbol.
--
-- Without a search text it lists the companies that traded in the last five sessions, the largest first. With a search text, an exact match
-- of the symbol comes first, then symbols and names that start with the text, then those that contain it, and last companies that did not
-- trade in these sessions.
--
-- tool:   search_companies
-- tier:   free
-- group:  Core
-- answer: list
-- param:  q        text? in 1..100       "Part of the name or the symbol." e.g. bank
-- param:  sector   text? among sectors.sector "Only this sector; capitals do not matter." e.g. Financial Services
-- param:  min_mcap number?               "Smallest market capitalisation, INR crore." e.g. 1000
-- param:  min_rs   int? in 1..99         "Smallest relative-strength rating." e.g. 10
-- param:  limit    int = 20 in 1..50     "Rows on a page." e.g. 10
-- param:  page     int = 1 in 1..100000  "Page, from 1." e.g. 1
-- param:  max_mcap number? rest-only     "Largest market capitalisation, INR crore." e.g. 9000000
SELECT symbol,
       company_name,
       sector,
       market_cap_cr,
       market_cap_assumed,
       rs_rating
FROM   stocks
WHERE  ($q IS NOT NULL OR session >= session_ago(4))
AND    ($q IS NULL OR contains(upper(symbol), upper($q)) OR contains(upper(company_name), upper($q)))
AND    ($sector IS NULL OR sector = $sector)
AND    ($min_mcap IS NULL OR NOT market_cap_assumed AND market_cap_cr >= $min_mcap)
AND    ($max_mcap IS NULL OR NOT market_cap_assumed AND market_cap_cr <= $max_mcap)
AND    ($min_rs IS NULL OR rs_rating >= $min_rs)
ORDER  BY CASE
              WHEN $q IS NULL THEN 0
              WHEN upper(symbol) = upper($q) THEN 0
              WHEN session < session_ago(4) THEN 3
              WHEN starts_with(upper(symbol), upper($q)) OR starts_with(upper(company_name), upper($q)) THEN 1
              ELSE 2
          END,
          market_cap_cr DESC NULLS LAST,
          symbol
LIMIT  $limit OFFSET ($page - 1) * $limit
