-- Universe members: the lists of NIFTY500, official ones and those that prices and market caps give, against which ratings compare a stock.
--
-- The index provider revises its list for the first session of April and of October, from six months of figures that ended two months before.
-- So does a rebuilt list: of the 1.6 n stocks with the largest mean turnover in those months, the n with the largest mean market cap, n being
-- the members of the newest official list that is not later, else 500. A stock needs 20 bars with a turnover in those months, a list 40
-- sessions and n stocks. The size of a stock without any market cap is its turnover times the median ratio of cap to turnover among the
-- stocks that have both; if none has a cap, the n with the largest turnover are members. Free float, which the provider counts too, is not
-- in the files.
--
-- key:    list_date, universe, symbol
-- sorted: list_date, universe, symbol
-- formula: universe members 2
-- column: list_date date
-- column: universe  text
-- column: symbol    text
-- column: size_assumed bool "Whether the list was rebuilt with numbers of shares that became known only later; false for official lists."
WITH members AS (
    SELECT list_date, symbol FROM index_members WHERE index_name = 'NIFTY500'
),
official AS (
    SELECT list_date, COUNT(*) AS member_count FROM members GROUP BY list_date
),
-- Half years of figures are numbered: twice the year for February to July, one more for August to January.
halves AS (
    SELECT session,
           2 * date_part('year', session - INTERVAL '1 month')
               + CASE WHEN date_part('month', session - INTERVAL '1 month') > 6 THEN 1 ELSE 0 END AS half
    FROM   sessions
),
revisions AS (
    SELECT MIN(session) AS list_date,
           2 * date_part('year', session - INTERVAL '9 months') + CASE WHEN date_part('month', session) = 4 THEN 1 ELSE 0 END AS half
    FROM   sessions
    WHERE  market() = 'india'
    AND    date_part('month', session) IN (4, 10)
    GROUP  BY 2
),
sized AS (
    SELECT r.list_date, r.half, MAX(o.list_date) AS sized_by
    FROM   revisions r
    LEFT   JOIN official o ON o.list_date <= r.list_date
    GROUP  BY r.list_date, r.half
),
counted AS (
    SELECT z.half, MAX(z.list_date) AS list_date, MAX(z.sized_by) AS sized_by
    FROM   sized z
    JOIN   halves h ON h.half = z.half
    GROUP  BY z.half
    HAVING COUNT(*) >= 40
),
measured AS (
    SELECT c.list_date,
           c.sized_by,
           p.symbol,
           AVG(p.market_cap) AS market_cap,
           AVG(p.turnover)   AS turnover,
           COUNT(*) FILTER (WHERE p.market_cap_assumed) AS assumed_bars
    FROM   daily_prices p
    JOIN   halves h ON h.session = p.session
    JOIN   counted c ON c.half = h.half
    WHERE  p.turnover > 0
    GROUP  BY c.list_date, c.sized_by, p.symbol
    HAVING COUNT(*) >= 20
),
placed AS (
    SELECT m.*,
           COALESCE(o.member_count, 500) AS member_count,
           ROW_NUMBER() OVER (PARTITION BY m.list_date ORDER BY m.turnover DESC, m.symbol) AS turnover_place
    FROM   measured m
    LEFT   JOIN official o ON o.list_date = m.sized_by
),
traded AS (
    SELECT * FROM placed WHERE turnover_place <= 1.6 * member_count
),
-- The caps of a list beside its turnovers.
ratios AS (
    SELECT list_date, MEDIAN(market_cap / turnover) AS cap_of_turnover, SUM(assumed_bars) > 0 AS size_assumed
    FROM   traded
    GROUP  BY list_date
),
ranked AS (
    SELECT t.list_date,
           t.symbol,
           t.member_count,
           r.size_assumed,
           ROW_NUMBER() OVER (
               PARTITION BY t.list_date
               ORDER BY COALESCE(t.market_cap, t.turnover * r.cap_of_turnover, t.turnover) DESC, t.symbol
           ) AS size_place,
           COUNT(*) OVER (PARTITION BY t.list_date) AS candidates
    FROM   traded t
    JOIN   ratios r ON r.list_date = t.list_date
)
SELECT list_date, 'NIFTY500' AS universe, symbol, FALSE AS size_assumed FROM members
UNION  ALL
SELECT list_date, 'NIFTY500 (rebuilt)', symbol, size_assumed
FROM   ranked
WHERE  size_place <= member_count
AND    candidates >= member_count
ORDER  BY 1, 2, 3
