-- Search of companies by name or symbol.
--
-- Without a search text it lists the companies that traded in the last five sessions, the largest first. A search text is a symbol or
-- words of a name, in any order, each whole or its beginning. Capitals and punctuation do not matter, nor do "and", "the" and what a
-- company is by law, such as "Ltd" or "Inc.". Former symbols and names are found too, and names that people use. The exact symbol comes
-- first, then the exact name, then symbols and names that start with the text, then names that have its words, each the largest first.
-- Companies that did not trade in the last five sessions come last.
--
-- tool:   search_companies
-- tier:   free
-- group:  Core
-- answer: list
-- search: q
-- optional: stocks
-- param:  q        text? in 1..100       "Symbol, or words of the name." e.g. bank
-- param:  sector   text? among sectors.sector "Only this sector; capitals do not matter." e.g. Financial Services
-- param:  min_mcap number?               "Smallest market capitalisation, INR crore." e.g. 1000
-- param:  min_rs   int? in 1..99         "Smallest relative-strength rating." e.g. 10
-- param:  limit    int = 20 in 1..50     "Rows on a page." e.g. 10
-- param:  page     int = 1 in 1..100000  "Page, from 1." e.g. 1
-- param:  max_mcap number? rest-only     "Largest market capitalisation, INR crore." e.g. 9000000

-- when: q absent
WITH listed AS (
    SELECT symbol, company_name, sector, market_cap_cr, market_cap_assumed, rs_rating, session FROM stocks
    UNION  ALL
    -- A market without prices has companies all the same.
    SELECT symbol, company_name, sector, NULL, NULL, NULL, NULL FROM companies WHERE NOT has_prices()
)
SELECT symbol,
       company_name,
       sector,
       market_cap_cr,
       market_cap_assumed,
       rs_rating
FROM   listed
WHERE  (session >= session_ago(4) OR NOT has_prices())
AND    ($sector IS NULL OR sector = $sector)
AND    ($min_mcap IS NULL OR NOT market_cap_assumed AND market_cap_cr >= $min_mcap)
AND    ($max_mcap IS NULL OR NOT market_cap_assumed AND market_cap_cr <= $max_mcap)
AND    ($min_rs IS NULL OR rs_rating >= $min_rs)
ORDER  BY market_cap_cr DESC NULLS LAST, symbol
LIMIT  $limit OFFSET ($page - 1) * $limit

-- when: q present
WITH listed AS (
    SELECT symbol, company_name, sector, market_cap_cr, market_cap_assumed, rs_rating, session FROM stocks
    UNION  ALL
    -- A market without prices has companies all the same.
    SELECT symbol, company_name, sector, NULL, NULL, NULL, NULL FROM companies WHERE NOT has_prices()
),
ranked AS (
    SELECT symbol, search_rank($q, symbol, company_name) AS search_rank FROM listed
    UNION ALL
    SELECT symbol, search_rank($q, NULL, other_name) FROM other_names
),
found AS (
    SELECT symbol, MIN(search_rank) AS search_rank FROM ranked WHERE search_rank IS NOT NULL GROUP BY symbol
)
SELECT s.symbol,
       company_name,
       sector,
       market_cap_cr,
       market_cap_assumed,
       rs_rating
FROM   found
JOIN   listed s ON s.symbol = found.symbol
WHERE  ($sector IS NULL OR sector = $sector)
AND    ($min_mcap IS NULL OR NOT market_cap_assumed AND market_cap_cr >= $min_mcap)
AND    ($max_mcap IS NULL OR NOT market_cap_assumed AND market_cap_cr <= $max_mcap)
AND    ($min_rs IS NULL OR rs_rating >= $min_rs)
ORDER  BY s.session < session_ago(4), found.search_rank, market_cap_cr DESC NULLS LAST, symbol
LIMIT  $limit OFFSET ($page - 1) * $limit
