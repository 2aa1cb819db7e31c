-- Explorer: the member lists of the NIFTY 500 against which relative strength is rated, the newest first, and how well rebuilt lists agree with official ones.
--
-- An operation of the explorer. At a revision of the index, on the first session of April or October, members are those that prices and
-- market caps give. `agreement_pct` compares an official list with the list that was rebuilt for the revision before it, whether that one is
-- used or not.
--
-- tool:   none
-- tier:   free
-- group:  Explorer
-- answer: list
-- column: listed_count   int count   "Stocks on the list."
-- column: rated_from     date?       "First session that is rated against the list; null where none is."
-- column: rated_sessions int count   "Sessions that are rated against it."
-- column: agreement_pct  number? pct "Members that the rebuilt list of the revision in force has too, in percent; null for rebuilt lists, and where none was rebuilt in the half year before."
WITH lists AS (
    SELECT list_date, universe, BOOL_OR(size_assumed) AS size_assumed, COUNT(*) AS listed_count
    FROM   universe_members
    WHERE  list_date <= as_of()
    GROUP  BY list_date, universe
),
pairs AS (
    SELECT o.list_date, MAX(r.list_date) AS rebuilt_on
    FROM   lists o
    JOIN   lists r ON r.list_date <= o.list_date AND r.list_date > o.list_date - INTERVAL '6 months'
    WHERE  o.universe = 'NIFTY500'
    AND    r.universe <> 'NIFTY500'
    GROUP  BY o.list_date
),
agreements AS (
    SELECT p.list_date, COUNT(*) AS agreed
    FROM   pairs p
    JOIN   universe_members o ON o.list_date = p.list_date  AND o.universe = 'NIFTY500'
    JOIN   universe_members r ON r.list_date = p.rebuilt_on AND r.universe <> 'NIFTY500' AND r.symbol = o.symbol
    GROUP  BY p.list_date
),
used AS (
    SELECT universe, universe_as_of, MIN(session) AS rated_from, COUNT(*) AS rated_sessions
    FROM   universe
    WHERE  session <= as_of()
    GROUP  BY universe, universe_as_of
)
SELECT l.list_date,
       l.universe,
       l.listed_count,
       l.size_assumed,
       u.rated_from,
       COALESCE(u.rated_sessions, 0)      AS rated_sessions,
       100.0 * a.agreed / l.listed_count   AS agreement_pct
FROM   lists l
LEFT   JOIN used u ON u.universe_as_of = l.list_date AND u.universe = l.universe
LEFT   JOIN agreements a ON a.list_date = l.list_date AND l.universe = 'NIFTY500'
ORDER  BY l.list_date DESC, l.universe
