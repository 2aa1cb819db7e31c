-- A company's score is the mean of its five dimensions, each 0 to 10, and better scores have better ranks.
--
-- severity: error
WITH ranked AS (
  SELECT symbol, financial_health, growth_prospects, competitive_position, management_quality, valuation,
         overall_score, overall_rank,
         (financial_health + growth_prospects + competitive_position + management_quality + valuation) / 5 AS mean_score,
         lag(overall_score) OVER best AS better_score,
         lag(overall_rank)  OVER best AS better_rank
  FROM   scorecards
  WINDOW best AS (ORDER BY overall_score DESC NULLS LAST, symbol)
)
SELECT symbol, overall_score, mean_score, overall_rank, better_score, better_rank
FROM   ranked
WHERE  abs(overall_score - mean_score) > 1e-6
   OR  overall_score NOT BETWEEN 0 AND 10.000001
   OR  overall_rank < better_rank
ORDER  BY overall_rank, symbol
