-- Search of US companies by name or ticker.
--
-- Without a search text it lists the companies that traded in the last five sessions, the largest first. A search text is a ticker or
-- words of a name, in any order, each whole or its beginning. Capitals and punctuation do not matter, nor do "and", "the" and what a
-- company is by law, such as "Inc." or "Ltd". Names that people use are found too. The exact ticker comes first, then the exact name,
-- then tickers and names that start with the text, then names that have its words, each the largest first. Companies that did not
-- trade in the last five sessions come last.
--
-- tool:   us_search_companies
-- tier:   free
-- group:  US Markets
-- answer: list
-- search: query
-- optional: stocks
-- param:  query  text? in 1..100 "Ticker, or words of the name." e.g. in
-- param:  sector text? among sectors.sector "Only this sector; capitals do not matter." e.g. Technology
-- param:  limit  int = 10 in 1..50 cap(free 20, paid 50) "Rows to return: free keys 20 at the most, paid keys 50." e.g. 5

-- when: query absent
WITH listed AS (
    SELECT symbol, company_name, sector, industry, exchange, market_cap_b, market_cap_assumed, rs_rating, session FROM stocks
    UNION  ALL
    -- A market without prices has companies all the same.
    SELECT symbol, company_name, sector, industry, exchange, NULL, NULL, NULL, NULL FROM companies WHERE NOT has_prices()
)
SELECT symbol,
       company_name,
       sector,
       industry,
       exchange,
       market_cap_b,
       market_cap_assumed,
       rs_rating
FROM   listed
WHERE  (session >= session_ago(4) OR NOT has_prices())
AND    ($sector IS NULL OR sector = $sector)
ORDER  BY market_cap_b DESC NULLS LAST, symbol
LIMIT  $limit

-- when: query present
WITH listed AS (
    SELECT symbol, company_name, sector, industry, exchange, market_cap_b, market_cap_assumed, rs_rating, session FROM stocks
    UNION  ALL
    -- A market without prices has companies all the same.
    SELECT symbol, company_name, sector, industry, exchange, NULL, NULL, NULL, NULL FROM companies WHERE NOT has_prices()
),
ranked AS (
    SELECT symbol, search_rank($query, symbol, company_name) AS search_rank FROM listed
    UNION ALL
    SELECT symbol, search_rank($query, NULL, other_name) FROM other_names
),
found AS (
    SELECT symbol, MIN(search_rank) AS search_rank FROM ranked WHERE search_rank IS NOT NULL GROUP BY symbol
)
SELECT s.symbol,
       company_name,
       sector,
       industry,
       exchange,
       market_cap_b,
       market_cap_assumed,
       rs_rating
FROM   found
JOIN   listed s ON s.symbol = found.symbol
WHERE  ($sector IS NULL OR sector = $sector)
ORDER  BY s.session < session_ago(4), found.search_rank, market_cap_b DESC NULLS LAST, symbol
LIMIT  $limit
