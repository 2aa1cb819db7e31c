-- Universe: the stocks with which a session's ratings compare a stock.
--
-- In India the universe is the NIFTY500 list that holds on the session, if there is one; otherwise it is all eligible common stocks.
--
-- key:    session
-- sorted: session
-- column: session        date
-- column: universe       text  "The stocks with which ratings compare a stock: an index, or all common stocks."
-- column: universe_as_of date? "Date of the index list that holds; an earlier session than the first list uses the first."
-- column: universe_assumed bool "Whether the session is before the first list, so that the members of that list are assumed."
WITH lists AS (
    SELECT DISTINCT list_date
    FROM   index_members
    WHERE  index_name = 'NIFTY500'
)
SELECT s.session,
       CASE WHEN MIN(l.list_date) IS NULL THEN 'all common stocks' ELSE 'NIFTY500' END AS universe,
       COALESCE(MAX(l.list_date) FILTER (WHERE l.list_date <= s.session), MIN(l.list_date)) AS universe_as_of,
       COALESCE(MIN(l.list_date) > s.session, FALSE) AS universe_assumed
FROM   sessions s
LEFT   JOIN lists l ON TRUE
GROUP  BY s.session
ORDER  BY s.session
