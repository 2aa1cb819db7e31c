-- A dimension of a scorecard is a tenth of the mean percentile of the ratios that make it.
--
-- It counts what applies to the business: gross bad loans and Tier 1 capital only where they are known, equity to assets only where
-- Tier 1 capital is not; and it needs half of that.
--
-- severity: error
WITH parts AS (
  SELECT s.symbol, r.ratio_code, r.peer_percentile,
         CASE WHEN s.business_kind = 'other' THEN c.dimension ELSE c.lender_dimension END AS dimension,
         bool_or(r.ratio_code = 'tier1_pct' AND r.peer_percentile IS NOT NULL) OVER (PARTITION BY s.symbol) AS has_capital
  FROM   scorecards AS s
         JOIN ratios AS r ON r.symbol = s.symbol
         JOIN ratio_codes AS c ON c.ratio_code = r.ratio_code
  WHERE  r.applies
),
means AS (
  SELECT symbol, dimension,
         CASE WHEN 2 * count(peer_percentile) >= count(*) THEN avg(peer_percentile) / 10 END AS mean_score
  FROM   parts
  WHERE  dimension IS NOT NULL
    AND  (peer_percentile IS NOT NULL OR ratio_code NOT IN ('tier1_pct', 'gnpa_pct'))
    AND  NOT (has_capital AND ratio_code = 'equity_to_assets')
  GROUP  BY symbol, dimension
),
scored AS (
  SELECT symbol, financial_health AS score, 'financial_health' AS dimension FROM scorecards
  UNION ALL SELECT symbol, growth_prospects, 'growth_prospects' FROM scorecards
  UNION ALL SELECT symbol, competitive_position, 'competitive_position' FROM scorecards
  UNION ALL SELECT symbol, management_quality, 'management_quality' FROM scorecards
  UNION ALL SELECT symbol, valuation, 'valuation' FROM scorecards
)
SELECT s.symbol, s.dimension, s.score, m.mean_score
FROM   scored AS s
       LEFT JOIN means AS m ON m.symbol = s.symbol AND m.dimension = s.dimension
WHERE  (s.score IS NULL) <> (m.mean_score IS NULL)
   OR  abs(s.score - m.mean_score) > 1e-6
   OR  s.score NOT BETWEEN 0 AND 10.000001
ORDER  BY s.symbol, s.dimension
