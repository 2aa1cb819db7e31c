-- The group that a company belongs to: its listed members, how large and how strong they are.
--
-- Members are ordered by market capitalisation. A company without a known group is not found. Where no file of your own says groups, the
-- members of NSE's indices of one corporate group (Tata, Mahindra, Aditya Birla) are that group as far as the index goes: its largest
-- companies, without a role or a stake.
--
-- tool:   get_conglomerate
-- tier:   api_pro
-- group:  Company Intel
-- answer: one
-- coverage: group
-- optional: conglomerate_groups, index_members, index_lists
-- param:  symbol  text "Symbol of the company on NSE." e.g. GEXALUBANK
-- column: group_market_cap_cr   number? inr_crore "Market capitalisation of all members."
-- column: group_member_count    int count         "Listed members of the group."
-- column: group_avg_rs_rating   number? score     "Mean rating of the members that have one."
-- column: group_share_pct       number? pct       "Market capitalisation of the member in percent of that of its group."
-- column: members               rows              "Listed members, the largest first."
WITH groups AS (
    SELECT group_name, symbol, group_role, stake_pct, source
    FROM   conglomerate_groups
    WHERE  known_since IS NULL OR known_since <= as_of()
    UNION  ALL
    SELECT k.group_name, m.symbol, NULL, NULL, MAX('members of ' || m.index_name)
    FROM   (VALUES ('%TATAGROUP%', 'Tata Group'), ('%MAHINDRAGROUP%', 'Mahindra Group'), ('%ADITYABIRLAGROUP%', 'Aditya Birla Group'))
           AS k (index_name, group_name)
    JOIN   index_lists l ON l.index_name LIKE k.index_name
    JOIN   index_members m ON m.index_name = l.index_name AND m.list_date = l.list_date
    WHERE  NOT EXISTS (SELECT 1 FROM conglomerate_groups)
    GROUP  BY k.group_name, m.symbol
),
members AS (
    SELECT g.group_name,
           g.symbol,
           COALESCE(s.company_name, c.company_name) AS company_name,
           c.sector,
           c.industry,
           g.group_role,
           g.stake_pct,
           s.market_cap_cr,
           s.market_cap_assumed,
           s.price_cmp,
           s.session,
           s.change_pct,
           s.rs_rating,
           s.rs_trend_30d,
           s.stage,
           g.source,
           SUM(s.market_cap_cr) OVER (PARTITION BY g.group_name) AS group_market_cap_cr
    FROM   groups g
    LEFT   JOIN companies c ON c.symbol = g.symbol
    LEFT   JOIN stocks s ON s.symbol = g.symbol
    WHERE  g.group_name IN (SELECT group_name FROM groups WHERE symbol = $symbol)
)
SELECT MAX(CASE WHEN symbol = $symbol THEN symbol END) AS symbol,
       MAX(CASE WHEN symbol = $symbol THEN company_name END) AS company_name,
       group_name,
       MAX(CASE WHEN symbol = $symbol THEN group_role END) AS group_role,
       COUNT(*)            AS group_member_count,
       MAX(group_market_cap_cr) AS group_market_cap_cr,
       AVG(rs_rating)      AS group_avg_rs_rating,
       array_agg(named_struct(
           'symbol',          symbol,
           'company_name',    company_name,
           'sector',          sector,
           'industry',        industry,
           'group_role',      group_role,
           'stake_pct',       stake_pct,
           'market_cap_cr',   market_cap_cr,
           'market_cap_assumed', market_cap_assumed,
           'group_share_pct', 100 * market_cap_cr / group_market_cap_cr,
           'price_cmp',       price_cmp,
           'session',         session,
           'change_pct',      change_pct,
           'rs_rating',       rs_rating,
           'rs_trend_30d',    rs_trend_30d,
           'stage',           stage
       ) ORDER BY market_cap_cr DESC NULLS LAST, symbol) AS members,
       MAX(CASE WHEN symbol = $symbol THEN source END) AS source
FROM   members
GROUP  BY group_name
ORDER  BY group_name
LIMIT  1
