-- Members of an index, the largest first; without an index, all indices with the number of their members.
--
-- Members are those of the newest list.
--
-- tool:   get_index_constituents
-- tier:   free
-- group:  Market Intel
-- answer: list
-- param:  index text? of index_lists.index_name "Name of the index in capitals, such as NIFTY50; spaces do not matter." e.g. NIFTY50

-- when: index absent
SELECT index_name,
       member_count,
       list_date
FROM   index_lists
ORDER  BY index_name

-- when: index present
SELECT m.symbol,
       c.company_name,
       c.sector,
       s.market_cap_cr,
       s.price_cmp,
       s.change_pct,
       s.rs_rating,
       m.index_name,
       m.list_date
FROM   index_members m
JOIN   index_lists l ON l.index_name = m.index_name AND l.list_date = m.list_date
LEFT   JOIN companies c ON c.symbol = m.symbol
LEFT   JOIN stocks s ON s.symbol = m.symbol
WHERE  m.index_name = $index
ORDER  BY s.market_cap_cr DESC NULLS LAST, m.symbol
