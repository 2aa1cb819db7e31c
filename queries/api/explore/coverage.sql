-- Explorer: how many companies have the figures that other answers sum, average or compare, and how many lack them.
--
-- An operation of the explorer. A row counts one figure in one group of companies: a sector, an industry, an index, a group, or the market.
-- `aggregate` names the answers: `sectors` is for `market/sectors`, `rotation` for sector rotation, `industries` for stages of industries,
-- `indices` for indices and their members, `breadth` for breadth, `group` for conglomerates.
-- All counts are those of the last session, of stocks with a bar in the last five sessions. The header `X-Coverage` of these answers has the
-- sums over all groups. The means of 20 and 40 bars of a stock whose prices jumped are counted from its 21st and 50th bar after the jump.
--
-- tool:   none
-- tier:   api_pro
-- group:  Explorer
-- answer: list
-- optional: index_members, index_lists
-- india-optional: conglomerate_groups
-- india-param: aggregate text in (breadth, group, indices, industries, rotation, sectors) "The answers whose figures are counted." e.g. sectors
-- us-param: aggregate text in (breadth, indices, rotation, sectors) "The answers whose figures are counted." e.g. sectors
-- india-param: symbol text? "For `group` and `indices`: only those that have this company; `group` has no rows without it." e.g. GEXALUBANK
-- us-param: symbol text? "For `indices`: only those that have this ticker." e.g. BAQEBO
-- india-param: index text? of index_lists.index_name "For `indices`: only this index." e.g. NIFTY500
-- us-param: index text? of index_lists.index_name "For `indices`: only this index." e.g. SP500
-- example: aggregate=breadth
-- example: aggregate=indices
-- india-example: aggregate=industries
-- india-example: aggregate=group&symbol=GEXALUBANK
-- column: covered_figure text  "The figure, by its name in the answer."
-- column: covered_group  text? "The sector, industry, index or group of the companies, or `market`."
-- column: have    int count "Companies that have the figure."
-- column: missing int count "Companies that lack the figure."
-- also:   us

-- when: aggregate = sectors
-- when: aggregate = rotation
WITH counts AS (
    SELECT COALESCE(sector, '(no sector)')                         AS covered_group,
           COUNT(*)                                                AS stocks,
           COUNT(rs_rating)                                        AS rated,
           COUNT(change_pct) FILTER (WHERE session = as_of())      AS moved,
           COUNT(*) FILTER (WHERE cap_counted_in IS NULL)          AS companies,
           COUNT(market_cap) FILTER (WHERE cap_counted_in IS NULL) AS sized
    FROM   stocks
    WHERE  session >= session_ago(4)
    AND    ($aggregate = 'sectors' OR sector IS NOT NULL)
    GROUP  BY sector
)
SELECT 'avg_rs_rating' AS covered_figure, covered_group, rated AS have, stocks - rated AS missing FROM counts
UNION  ALL SELECT 'advances', covered_group, moved, stocks - moved FROM counts
UNION  ALL SELECT 'total_market_cap' || CASE market() WHEN 'us' THEN '_b' ELSE '_cr' END, covered_group, sized, companies - sized FROM counts
UNION  ALL SELECT 'index_level', covered_group, sized, companies - sized FROM counts
UNION  ALL SELECT 'return_pct', covered_group, sized, companies - sized FROM counts
ORDER  BY covered_figure, covered_group

-- india-when: aggregate = industries
WITH named AS (
    SELECT CASE WHEN COUNT(industry) OVER () > 0 THEN industry ELSE sector END AS covered_group, session, market_cap, cap_counted_in
    FROM   stocks
)
SELECT 'index_level' AS covered_figure, covered_group, COUNT(market_cap) AS have, COUNT(*) - COUNT(market_cap) AS missing
FROM   named
WHERE  covered_group IS NOT NULL
AND    session >= session_ago(4)
AND    cap_counted_in IS NULL
GROUP  BY covered_group
ORDER  BY covered_group

-- when: aggregate = indices
WITH counts AS (
    SELECT l.index_name                                             AS covered_group,
           COUNT(*)                                                 AS members,
           COUNT(s.rs_rating)                                       AS rated,
           COUNT(b.change_pct) FILTER (WHERE b.session = as_of())   AS moved,
           COUNT(b.market_cap * b.change_pct) FILTER (WHERE b.session = as_of()) AS moved_by_size,
           COUNT(b.market_cap * b.roc_5)                            AS moved_by_size_5,
           COUNT(b.market_cap * b.roc_21)                           AS moved_by_size_21,
           COUNT(b.market_cap * b.roc_252)                          AS moved_by_size_252,
           COUNT(CASE l.index_name WHEN 'DOW30' THEN s.price_cmp ELSE s.market_cap END) AS weighted
    FROM   index_lists l
    JOIN   index_members m ON m.index_name = l.index_name AND m.list_date = l.list_date
    LEFT   JOIN stocks s ON s.symbol = m.symbol
    LEFT   JOIN latest_bars b ON b.symbol = m.symbol
    WHERE  $index IS NULL OR l.index_name = $index
    GROUP  BY l.index_name
    HAVING $symbol IS NULL OR COUNT(*) FILTER (WHERE m.symbol = $symbol) > 0
)
SELECT 'member_avg_rs' AS covered_figure, covered_group, rated AS have, members - rated AS missing FROM counts
UNION  ALL SELECT 'advances', covered_group, moved, members - moved FROM counts
UNION  ALL SELECT 'index_change_pct', covered_group, moved_by_size, members - moved_by_size FROM counts
UNION  ALL SELECT 'index_change_5', covered_group, moved_by_size_5, members - moved_by_size_5 FROM counts
UNION  ALL SELECT 'index_change_21', covered_group, moved_by_size_21, members - moved_by_size_21 FROM counts
UNION  ALL SELECT 'index_change_252', covered_group, moved_by_size_252, members - moved_by_size_252 FROM counts
UNION  ALL SELECT 'weight_pct', covered_group, weighted, members - weighted FROM counts
ORDER  BY covered_figure, covered_group

-- when: aggregate = breadth
WITH counts AS (
    SELECT COUNT(*) AS traded, COUNT(change_pct) AS moved, COUNT(ema_10) AS of_10, COUNT(sma_50) AS of_50, COUNT(sma_200) AS of_200,
           -- A mean exists from as many bars on as it has; later price segments have no count of their bars.
           COUNT(*) FILTER (WHERE ema_21 IS NOT NULL OR price_segment = 0 AND bar_count >= 20) AS of_20,
           COUNT(*) FILTER (WHERE sma_50 IS NOT NULL OR price_segment = 0 AND bar_count >= 40) AS of_40
    FROM   latest_bars
    WHERE  session = as_of()
)
SELECT 'advances' AS covered_figure, 'market' AS covered_group, moved AS have, traded - moved AS missing FROM counts
UNION  ALL SELECT 'pct_above_sma10', 'market', of_10, traded - of_10 FROM counts
UNION  ALL SELECT 'pct_above_sma20', 'market', of_20, traded - of_20 FROM counts
UNION  ALL SELECT 'pct_above_sma40', 'market', of_40, traded - of_40 FROM counts
UNION  ALL SELECT 'pct_above_sma50', 'market', of_50, traded - of_50 FROM counts
UNION  ALL SELECT 'pct_above_sma200', 'market', of_200, traded - of_200 FROM counts
ORDER  BY covered_figure

-- india-when: aggregate = group
WITH groups AS (
    -- As in `company/conglomerate`.
    SELECT group_name, symbol
    FROM   conglomerate_groups
    WHERE  known_since IS NULL OR known_since <= as_of()
    UNION  ALL
    SELECT k.group_name, m.symbol
    FROM   (VALUES ('%TATAGROUP%', 'Tata Group'), ('%MAHINDRAGROUP%', 'Mahindra Group'), ('%ADITYABIRLAGROUP%', 'Aditya Birla Group'))
           AS k (index_name, group_name)
    JOIN   index_lists l ON l.index_name LIKE k.index_name
    JOIN   index_members m ON m.index_name = l.index_name AND m.list_date = l.list_date
    WHERE  NOT EXISTS (SELECT 1 FROM conglomerate_groups)
    GROUP  BY k.group_name, m.symbol
),
counts AS (
    SELECT g.group_name AS covered_group, COUNT(*) AS members, COUNT(s.market_cap) AS sized, COUNT(s.rs_rating) AS rated
    FROM   groups g
    LEFT   JOIN stocks s ON s.symbol = g.symbol
    WHERE  g.group_name = (SELECT MIN(group_name) FROM groups WHERE symbol = $symbol)
    GROUP  BY g.group_name
)
SELECT 'group_market_cap_cr' AS covered_figure, covered_group, sized AS have, members - sized AS missing FROM counts
UNION  ALL SELECT 'group_avg_rs_rating', covered_group, rated, members - rated FROM counts
ORDER  BY covered_figure
