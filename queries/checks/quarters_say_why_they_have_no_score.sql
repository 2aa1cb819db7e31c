-- An announced quarter has an earnings-quality score or says why it has none, and of each company one quarter is the newest with a score.
--
-- severity: error
WITH newest AS (
  SELECT symbol, max(period_end) FILTER (WHERE ecs_score IS NOT NULL) AS scored_end FROM earnings GROUP BY symbol
)
SELECT e.symbol, e.period_end, e.ecs_score, e.inputs, e.inputs_missing, e.unscored_because, e.is_latest_scored, n.scored_end
FROM   earnings AS e
       JOIN newest AS n ON n.symbol = e.symbol
WHERE  (e.ecs_score IS NULL) <> (e.unscored_because IS NOT NULL)
   OR  (e.inputs < 6) <> (e.inputs_missing IS NOT NULL)
   OR  (e.inputs >= 4) <> (e.ecs_score IS NOT NULL)
   OR  e.is_latest_scored <> coalesce(e.period_end = n.scored_end, FALSE)
ORDER  BY e.symbol, e.period_end
