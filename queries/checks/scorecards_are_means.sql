-- A company's score is the mean of the dimensions it has, and is there if, and only if, they are four or more; better scores have better ranks.
--
-- severity: error
WITH ranked AS (
  SELECT symbol, overall_score, overall_rank, dimensions_known, unscored_because,
         CAST(financial_health IS NOT NULL AS INT) + CAST(growth_prospects IS NOT NULL AS INT) + CAST(competitive_position IS NOT NULL AS INT)
           + CAST(management_quality IS NOT NULL AS INT) + CAST(valuation IS NOT NULL AS INT) AS dimensions,
         coalesce(financial_health, 0) + coalesce(growth_prospects, 0) + coalesce(competitive_position, 0) + coalesce(management_quality, 0) + coalesce(valuation, 0) AS total,
         lag(overall_score) OVER best AS better_score,
         lag(overall_rank)  OVER best AS better_rank
  FROM   scorecards
  WINDOW best AS (ORDER BY overall_score DESC NULLS LAST, symbol)
)
SELECT symbol, overall_score, total, dimensions, dimensions_known, unscored_because, overall_rank, better_score, better_rank
FROM   ranked
WHERE  dimensions <> dimensions_known
   OR  (overall_score IS NULL) <> (dimensions_known < 4)
   OR  (overall_score IS NULL) <> (unscored_because IS NOT NULL)
   OR  (overall_score IS NULL) <> (overall_rank IS NULL)
   OR  abs(overall_score - total / dimensions_known) > 1e-6
   OR  overall_score NOT BETWEEN 0 AND 10.000001
   OR  overall_rank < better_rank
ORDER  BY overall_rank, symbol
