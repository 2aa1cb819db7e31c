-- The profit of the last twelve months is that of the last four quarters, where these are on file and no year ends with them.
--
-- severity: row
WITH quarters AS (
  SELECT symbol, period_end, pat,
         row_number() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS place
  FROM   statements
  WHERE  period_type = 'quarterly'
),
sums AS (
  SELECT symbol, max(period_end) AS ttm_end, min(period_end) AS first_end, sum(pat) AS pat, count(pat) AS quarters
  FROM   quarters
  WHERE  place <= 4
  GROUP  BY symbol
)
SELECT f.symbol, f.ttm_end, f.pat_ttm, s.pat AS of_four_quarters
FROM   fundamentals AS f
       JOIN sums AS s ON s.symbol = f.symbol AND s.ttm_end = f.ttm_end
WHERE  s.quarters = 4
  AND  s.ttm_end - s.first_end BETWEEN 265 AND 285
  AND  NOT EXISTS (SELECT 1 FROM statements AS y
                   WHERE y.symbol = f.symbol AND y.period_type = 'annual' AND y.period_end >= f.ttm_end - 10)
  AND  abs(f.pat_ttm - s.pat) > 1e-6 * abs(s.pat)
ORDER  BY f.symbol
