-- Every US company has a stance, and it is the one that its score, rating and stage make; what is not known of them is named.
--
-- market:   us
-- severity: error
SELECT c.symbol, n.stance, n.stance_missing, n.overall_score, n.rs_rating, n.stage, k.overall_score AS card_score
FROM   stances AS n
       RIGHT JOIN companies AS c ON c.symbol = n.symbol
       LEFT JOIN scorecards AS k ON k.symbol = c.symbol
WHERE  n.stance IS NULL
   OR  n.stance NOT IN ('COMPELLING', 'WATCHLIST', 'AVOID')
   OR  (n.stance = 'COMPELLING') <> coalesce(n.overall_score >= 7 AND n.rs_rating >= 70 AND n.stage = 2, FALSE)
   OR  (n.stance = 'AVOID') <> (coalesce(n.overall_score < 4, FALSE) OR coalesce(n.stage = 4 AND n.rs_rating < 30, FALSE))
   OR  (n.stance_missing IS NOT NULL) <> (n.stance = 'WATCHLIST' AND (n.overall_score IS NULL OR n.rs_rating IS NULL OR n.stage IS NULL))
   OR  n.overall_score IS DISTINCT FROM k.overall_score
ORDER  BY c.symbol
