-- Explorer: every index with its level, its change and how its members moved; or one of them, or those that have a company.
--
-- An operation of the explorer. The large and broad indices come first, then all others by name. The level and the changes are those of the index's own closes where the files have them; otherwise the
-- level is null, and a change is that of the members of the newest list, weighted by their market cap before it. `change_of` says which.
-- Changes over 5, 21 and 252 bars are those of the members in any case.
--
-- tool:   none
-- tier:   free
-- group:  Explorer
-- answer: list
-- page:   indices index
-- coverage: indices
-- optional: index_prices
-- picture: ranking title="Indices by their change" of=index_name value=index_change_pct:"Change"
-- param:  symbol text? "Only the indices that have this company; if omitted, all of them." e.g. BAXIPAPOWR
-- param:  index  text? of index_lists.index_name "Only this index; if omitted, all of them." e.g. NIFTY500
-- column: index_close       number? price "Last close of the index; null where the files have no closes of it."
-- column: index_change_pct  number? pct   "Change of the index against the session before."
-- column: change_of         text          "Whose change it is: index, of its own closes, or members, weighted by market cap."
-- column: index_change_5    number? pct   "Change of the members over 5 bars, weighted by market cap."
-- column: index_change_21   number? pct   "Change of the members over 21 bars, weighted by market cap."
-- column: index_change_252  number? pct   "Change of the members over 252 bars, weighted by market cap."
-- column: member_avg_rs     number? score "Mean RS rating of the members that have one."
-- also:   us
-- us-param: symbol text? "Only the indices that have this ticker; if omitted, all of them." e.g. BAQEBO
-- us-param: index  text? of index_lists.index_name "Only this index; if omitted, all of them." e.g. SP500
WITH days AS (
    SELECT session,
           CASE WHEN missing_before IS NULL THEN LAG(session) OVER (ORDER BY session) END AS session_before
    FROM   sessions
),
closes AS (
    SELECT p.index_name,
           p.session,
           p.close * p.factor AS close,
           -- Of the session before, where neither the index nor the market lacks it.
           CASE
               WHEN LAG(p.session) OVER (PARTITION BY p.index_name ORDER BY p.session) = d.session_before
                   THEN LAG(p.close * p.factor) OVER (PARTITION BY p.index_name ORDER BY p.session)
           END AS close_before,
           ROW_NUMBER() OVER (PARTITION BY p.index_name ORDER BY p.session DESC) AS age
    FROM   index_prices p
    JOIN   days d ON d.session = p.session
    WHERE  p.session >= as_of() - 30
),
members AS (
    SELECT l.index_name,
           l.member_count,
           l.list_date,
           m.symbol,
           b.change_pct,
           b.roc_5,
           b.roc_21,
           b.roc_252,
           -- A move counts by the size that the company had before it.
           CASE WHEN b.session = as_of() THEN b.market_cap / (1 + b.change_pct / 100) END AS cap_before,
           b.market_cap / (1 + b.roc_5 / 100)   AS cap_before_5,
           b.market_cap / (1 + b.roc_21 / 100)  AS cap_before_21,
           b.market_cap / (1 + b.roc_252 / 100) AS cap_before_252,
           CASE WHEN b.session = as_of() THEN b.change_pct END AS moved,
           s.rs_rating
    FROM   index_lists l
    JOIN   index_members m ON m.index_name = l.index_name AND m.list_date = l.list_date
    LEFT   JOIN latest_bars b ON b.symbol = m.symbol
    LEFT   JOIN stocks s ON s.symbol = m.symbol
    WHERE  $index IS NULL OR l.index_name = $index
)
SELECT m.index_name,
       MAX(m.member_count) AS member_count,
       MAX(c.close)        AS index_close,
       COALESCE(100 * (MAX(c.close) / MAX(c.close_before) - 1),
                SUM(m.cap_before * m.moved) / NULLIF(SUM(m.cap_before), 0)) AS index_change_pct,
       CASE WHEN MAX(c.close_before) IS NOT NULL THEN 'index' ELSE 'members' END AS change_of,
       SUM(m.cap_before_5 * m.roc_5) / NULLIF(SUM(m.cap_before_5), 0)          AS index_change_5,
       SUM(m.cap_before_21 * m.roc_21) / NULLIF(SUM(m.cap_before_21), 0)       AS index_change_21,
       SUM(m.cap_before_252 * m.roc_252) / NULLIF(SUM(m.cap_before_252), 0)    AS index_change_252,
       CASE WHEN COUNT(m.moved) > 0 THEN COUNT(*) FILTER (WHERE m.moved > 0) END AS advances,
       CASE WHEN COUNT(m.moved) > 0 THEN COUNT(*) FILTER (WHERE m.moved < 0) END AS declines,
       AVG(m.rs_rating)                    AS member_avg_rs,
       MAX(m.list_date)                    AS list_date
FROM   members m
LEFT   JOIN closes c ON c.index_name = m.index_name AND c.age = 1
GROUP  BY m.index_name
HAVING $symbol IS NULL OR COUNT(*) FILTER (WHERE m.symbol = $symbol) > 0
ORDER  BY CASE m.index_name
              WHEN 'NIFTY50'          THEN 1
              WHEN 'SP500'            THEN 1
              WHEN 'NIFTYBANK'        THEN 2
              WHEN 'NDX100'           THEN 2
              WHEN 'NIFTYNEXT50'      THEN 3
              WHEN 'DOW30'            THEN 3
              WHEN 'NIFTYMIDCAP150'   THEN 4
              WHEN 'NIFTYSMALLCAP250' THEN 5
              WHEN 'NIFTY500'         THEN 6
              ELSE 7
          END,
          m.index_name
