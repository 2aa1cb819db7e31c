-- Companies by the earnings-quality score (ECS) of a quarter, the best first.
--
-- Without `quarter`, the newest quarter with scores is used; early in a season few companies have announced it. A company without a score
-- in the quarter is not listed; `company/ecs` says why it has none.
--
-- tool:   get_ecs_leaderboard
-- tier:   api_pro
-- group:  Market Intel
-- answer: list
-- param:  quarter period? among ecs_rankings.quarter "A quarter with scores, by its last month; if omitted, the newest." e.g. Sep 2026
-- param:  limit   int = 25 in 1..50 "Rows to return." e.g. 10
-- param:  sector  text? among sectors.sector rest-only "Only this sector; capitals do not matter." e.g. Financial Services
-- param:  min_ecs int = 0 in 0..100 rest-only "Smallest score."
SELECT ecs_rank,
       symbol,
       company_name,
       sector,
       quarter,
       ecs_score,
       coverage,
       pead_signal,
       sue,
       pat_growth_yoy,
       pat_growth_qoq,
       revenue_growth_yoy,
       margin_change_yoy,
       announcement_return,
       drift_return,
       announced_on,
       filed_assumed,
       days_since,
       market_cap_cr,
       market_cap_assumed,
       price_cmp,
       session,
       rs_rating,
       benchmark
FROM   ecs_rankings
WHERE  CASE WHEN $quarter IS NULL THEN is_latest_quarter ELSE quarter = $quarter END
AND    ecs_score >= $min_ecs
AND    ($sector IS NULL OR sector = $sector)
ORDER  BY ecs_rank, symbol
LIMIT  $limit
