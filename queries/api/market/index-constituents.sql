-- Members of an index, the largest first; without an index, all indices with the number of their members.
--
-- Members are those of the newest list. The weight approximates that of the index provider: by free float (market capitalisation times the
-- public's share) if that is known for every member with a market capitalisation, otherwise by full market capitalisation; `weight_basis`
-- says which. It is null for a member whose market capitalisation is not known.
--
-- tool:   get_index_constituents
-- tier:   free
-- group:  Market Intel
-- answer: list
-- page:   indices index
-- coverage: indices
-- optional: shareholding
-- param:  index text? of index_lists.index_name "Name of the index in capitals, such as NIFTY50; spaces do not matter." e.g. NIFTY50
-- column: weight_pct   number? pct  "Share of the member in the sum over all members of the index, by `weight_basis`."
-- column: weight_basis text?        "Basis of the weight: free float, full market cap or price."
-- column: members_assumed bool     "Whether the list is dated after the market's last session, so that its members are assumed."

-- when: index absent
-- picture: ranking title="Members of each index" of=index_name value=member_count
SELECT index_name,
       member_count,
       list_date
FROM   index_lists
ORDER  BY index_name

-- when: index present
-- picture: heat_map title="Index" of=symbol size=market_cap_cr:"Market capitalisation" change=change_pct:"Change" group=sector
WITH holdings AS (
    SELECT symbol, public_pct, ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS age
    FROM   shareholding
    WHERE  COALESCE(filed_on, period_end) <= as_of()
),
members AS (
    SELECT m.symbol,
           c.company_name,
           c.sector,
           s.market_cap_cr,
           s.market_cap_assumed,
           s.market_cap_cr * h.public_pct / 100 AS free_float_cr,
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
    LEFT   JOIN holdings h ON h.symbol = m.symbol AND h.age = 1
    WHERE  m.index_name = $index
),
bases AS (
    SELECT *,
           CASE
               WHEN COUNT(market_cap_cr) OVER () = 0                            THEN NULL
               WHEN COUNT(market_cap_cr) OVER () = COUNT(free_float_cr) OVER () THEN 'free float'
               ELSE 'full market cap'
           END AS weight_basis,
           100 * free_float_cr / SUM(free_float_cr) OVER () AS by_free_float,
           100 * market_cap_cr / SUM(market_cap_cr) OVER () AS by_market_cap
    FROM   members
)
SELECT symbol,
       company_name,
       sector,
       market_cap_cr,
       market_cap_assumed,
       CASE weight_basis WHEN 'free float' THEN by_free_float ELSE by_market_cap END AS weight_pct,
       weight_basis,
       price_cmp,
       session,
       change_pct,
       rs_rating,
       index_name,
       list_date,
       list_date > as_of() AS members_assumed
FROM   bases
ORDER  BY market_cap_cr DESC NULLS LAST, symbol
