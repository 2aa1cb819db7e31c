-- Members of a US index, the largest first; without an index, the indices with the number of their members.
--
-- Members are those of the newest list. With a sector, only the members of that sector are listed or counted.
--
-- tool:   us_get_index_constituents
-- tier:   api_pro
-- group:  US Markets
-- answer: list
-- param:  index_name text? in (SP500, NDX100, DOW30) "Index whose members are listed." e.g. SP500
-- param:  sector     text? among sectors.sector "Only members of this sector; capitals do not matter." e.g. Technology
-- column: member_count int count "Members of the index on its newest list; of the sector alone where one is asked for."

-- when: index_name absent
SELECT l.index_name,
       COUNT(*) AS member_count,
       l.list_date
FROM   index_lists l
JOIN   index_members m ON m.index_name = l.index_name AND m.list_date = l.list_date
LEFT   JOIN companies c ON c.symbol = m.symbol
WHERE  l.index_name IN ('SP500', 'NDX100', 'DOW30')
AND    ($sector IS NULL OR c.sector = $sector)
GROUP  BY l.index_name, l.list_date
ORDER  BY l.index_name

-- when: index_name present
SELECT m.symbol,
       c.company_name,
       c.sector,
       c.industry,
       s.market_cap_b,
       s.price_cmp,
       s.change_pct,
       s.rs_rating,
       m.index_name,
       m.list_date
FROM   index_members m
JOIN   index_lists l ON l.index_name = m.index_name AND l.list_date = m.list_date
LEFT   JOIN companies c ON c.symbol = m.symbol
LEFT   JOIN stocks s ON s.symbol = m.symbol
WHERE  m.index_name = $index_name
AND    ($sector IS NULL OR c.sector = $sector)
ORDER  BY s.market_cap_b DESC NULLS LAST, m.symbol
