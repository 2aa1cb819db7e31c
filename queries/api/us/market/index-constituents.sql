-- Members of a US index, the largest first; without an index, the indices with the number of their members.
--
-- Members are those of the newest list. With a sector, only the members of that sector are listed or counted. The weight approximates that
-- of the index provider, among all members of the index: by price in the DOW30, in the others by full market capitalisation, because free
-- float is not known. It is null for a member whose price or market capitalisation is not known.
--
-- tool:   us_get_index_constituents
-- tier:   api_pro
-- group:  US Markets
-- answer: list
-- page:   indices index_name
-- coverage: indices
-- param:  index_name text? in (SP500, NDX100, DOW30) "Index whose members are listed." e.g. SP500
-- param:  sector     text? among sectors.sector "Only members of this sector; capitals do not matter." e.g. Technology
-- column: weight_pct   number? pct  "Share of the member in the sum over all members of the index, by `weight_basis`."
-- column: weight_basis text?        "Basis of the weight: free float, full market cap or price."
-- column: members_assumed bool     "Whether the list is dated after the market's last session, so that its members are assumed."
-- column: member_count int count "Members of the index on its newest list; with a sector, only those of the sector."

-- when: index_name absent
-- picture: ranking title="Members of each index" of=index_name value=member_count
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
-- picture: heat_map title="Index" of=symbol size=market_cap_b:"Market capitalisation" change=change_pct:"Change" group=sector
WITH members AS (
    SELECT m.symbol,
           c.company_name,
           c.sector,
           c.industry,
           s.market_cap_b,
           s.market_cap_assumed,
           CASE m.index_name WHEN 'DOW30' THEN s.price_cmp ELSE s.market_cap_b END     AS weight,
           CASE m.index_name WHEN 'DOW30' THEN 'price'     ELSE 'full market cap' END AS basis,
           s.price_cmp,
           s.session,
           s.change_pct,
           s.rs_rating,
           m.index_name,
           m.list_date
    FROM   index_members m
    JOIN   index_lists l ON l.index_name = m.index_name AND l.list_date = m.list_date
    LEFT   JOIN companies c ON c.symbol = m.symbol
    LEFT   JOIN stocks s ON s.symbol = m.symbol
    WHERE  m.index_name = $index_name
),
weights AS (
    SELECT *,
           100 * weight / SUM(weight) OVER ()              AS weight_pct,
           CASE WHEN COUNT(weight) OVER () > 0 THEN basis END AS weight_basis
    FROM   members
)
SELECT symbol,
       company_name,
       sector,
       industry,
       market_cap_b,
       market_cap_assumed,
       weight_pct,
       weight_basis,
       price_cmp,
       session,
       change_pct,
       rs_rating,
       index_name,
       list_date,
       list_date > as_of() AS members_assumed
FROM   weights
WHERE  ($sector IS NULL OR sector = $sector)
ORDER  BY market_cap_b DESC NULLS LAST, symbol
