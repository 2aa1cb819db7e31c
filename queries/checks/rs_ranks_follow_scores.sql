-- Within the last session a better score never has a worse rank or rating, and a rank is the place among all that are rated.
--
-- severity: error
WITH rated AS (
  SELECT symbol, rs_score, rs_rank, rs_rating,
         rank()         OVER (ORDER BY rs_score DESC) AS place,
         lag(symbol)    OVER best AS better_symbol,
         lag(rs_score)  OVER best AS better_score,
         lag(rs_rank)   OVER best AS better_rank,
         lag(rs_rating) OVER best AS better_rating
  FROM   rs_history
  WHERE  session = as_of() AND rs_score IS NOT NULL
  WINDOW best AS (ORDER BY rs_score DESC, symbol)
)
SELECT symbol, rs_score, rs_rank, place, rs_rating, better_symbol, better_score, better_rank, better_rating
FROM   rated
WHERE  rs_rank <> place
   OR  (rs_rank IS NULL) <> (rs_rating IS NULL)
   OR  rs_rank < better_rank
   OR  rs_rating > better_rating
   OR  (rs_score = better_score AND (rs_rank <> better_rank OR rs_rating <> better_rating))
ORDER  BY rs_score DESC, symbol
