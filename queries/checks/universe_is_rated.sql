-- The last session's universe is an index with members, or all stocks; and its members are rated.
--
-- A tenth of the members may be without a rating: they are too young, or have not traded recently.
--
-- severity: error
WITH last AS (
  SELECT session, universe, universe_as_of
  FROM   universe
  WHERE  session = as_of()
),
members AS (
  SELECT l.universe, m.symbol
  FROM   last AS l
         JOIN universe_members AS m ON m.universe = l.universe AND m.list_date = l.universe_as_of
),
rated AS (
  SELECT m.universe, count(*) AS members, count(s.rs_rating) AS rated
  FROM   members AS m
         LEFT JOIN stocks AS s ON s.symbol = m.symbol
  GROUP  BY m.universe
)
SELECT l.session, l.universe, l.universe_as_of, r.members, r.rated
FROM   last AS l
       LEFT JOIN rated AS r ON r.universe = l.universe
WHERE  l.universe_as_of IS NOT NULL
  AND  (r.members IS NULL OR (r.members >= 20 AND r.rated < 0.9 * r.members))
