-- Ratings are 1 to 99, and ranks start at 1.
--
-- severity: row
SELECT session, symbol, rs_rating, rs_rank
FROM   rs_history
WHERE  rs_rating NOT BETWEEN 1 AND 99
   OR  rs_rank < 1
   OR  (rs_score IS NULL AND (rs_rating IS NOT NULL OR rs_rank IS NOT NULL))
ORDER  BY session, symbol
