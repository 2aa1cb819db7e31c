-- A stock's rating is that of the history in the last session.
--
-- severity: error
WITH last AS (
  SELECT symbol, rs_rating, rs_rank
  FROM   rs_history
  WHERE  session = as_of()
)
SELECT s.symbol, s.session, s.rs_rating, h.rs_rating AS history_rating, s.rs_rank, h.rs_rank AS history_rank
FROM   stocks AS s
       JOIN last AS h ON h.symbol = s.symbol
WHERE  (s.rs_rating IS DISTINCT FROM h.rs_rating)
   OR  (s.rs_rank IS DISTINCT FROM h.rs_rank)
ORDER  BY s.symbol
