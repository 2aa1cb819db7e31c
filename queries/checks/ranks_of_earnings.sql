-- Within a quarter a better score of those who announced in time never has a worse rank, and a drift signal has the score, the days and the return it asks for.
--
-- severity: error
WITH ranked AS (
  SELECT symbol, quarter, ecs_score, ecs_rank, pead_signal, days_since, drift_return, sue_pct,
         lag(ecs_score) OVER best AS better_score,
         lag(ecs_rank)  OVER best AS better_rank
  FROM   earnings
  WHERE  ecs_score IS NOT NULL AND is_timely
  WINDOW best AS (PARTITION BY quarter ORDER BY ecs_score DESC, symbol)
)
SELECT symbol, quarter, ecs_score, ecs_rank, better_score, better_rank, pead_signal, days_since, drift_return
FROM   ranked
WHERE  ecs_rank < better_rank
   OR  (ecs_score < better_score AND ecs_rank = better_rank)
   OR  ecs_score NOT BETWEEN 0 AND 100.000001
   OR  (pead_signal AND NOT (ecs_score >= 70 AND days_since <= 45 AND drift_return > 0))
ORDER  BY quarter, ecs_rank
