-- The last session's advances, declines and unchanged are those of its prices.
--
-- severity: error
WITH counted AS (
  SELECT p.session,
         count(*) FILTER (WHERE p.change_pct > 0) AS advances,
         count(*) FILTER (WHERE p.change_pct < 0) AS declines,
         count(*) FILTER (WHERE p.change_pct = 0) AS unchanged
  FROM   session_prices AS p
  WHERE  p.session = as_of()
  GROUP  BY p.session
)
SELECT b.session, b.advances, c.advances AS counted_advances, b.declines, c.declines AS counted_declines,
       b.unchanged, c.unchanged AS counted_unchanged
FROM   breadth AS b
       JOIN counted AS c ON c.session = b.session
WHERE  b.advances <> c.advances
   OR  b.declines <> c.declines
   OR  b.unchanged <> c.unchanged
