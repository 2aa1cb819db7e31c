-- Universe: the stocks with which a session's ratings compare a stock.
--
-- In India the universe is the newest official list of NIFTY500 that is dated in the year before the session, else the newest list of any
-- kind, official or rebuilt; a session before the first list uses the first. Without a list the universe is all eligible common stocks.
--
-- key:    session
-- sorted: session
-- column: session        date
-- column: universe       text  "The stocks with which ratings compare a stock: NIFTY500, NIFTY500 (rebuilt) from prices and market caps, or all common stocks."
-- column: universe_as_of date? "Date of the list in force; a session before the first list uses the first."
-- column: universe_assumed bool "Whether the list in force says more than was known on the session: it is of a later day, or was rebuilt with numbers of shares that became known only later."
WITH lists AS (
    -- Of two lists of a day, the official one.
    SELECT list_date, MIN(universe) AS universe, BOOL_AND(size_assumed) AS size_assumed
    FROM   universe_members
    GROUP  BY list_date
),
dated AS (
    SELECT s.session,
           MAX(l.list_date) FILTER (WHERE l.list_date <= s.session AND l.universe = 'NIFTY500') AS official_on,
           MAX(l.list_date) FILTER (WHERE l.list_date <= s.session)                             AS newest_on,
           MIN(l.list_date)                                                                     AS first_on
    FROM   sessions s
    LEFT   JOIN lists l ON TRUE
    GROUP  BY s.session
),
chosen AS (
    SELECT session,
           CASE WHEN official_on > session - INTERVAL '1 year' THEN official_on ELSE COALESCE(newest_on, first_on) END AS universe_as_of
    FROM   dated
)
SELECT c.session,
       COALESCE(l.universe, 'all common stocks') AS universe,
       c.universe_as_of,
       COALESCE(c.universe_as_of > c.session OR l.size_assumed, FALSE) AS universe_assumed
FROM   chosen c
LEFT   JOIN lists l ON l.list_date = c.universe_as_of
ORDER  BY c.session
