-- Companies that drift after good earnings, the best earnings-quality score first.
--
-- Their quarter scored 70 or more and was announced in the last 45 calendar days; their stock is ahead of the benchmark since the close of
-- the session of the announcement.
--
-- tool:   get_pead_candidates
-- tier:   api_pro
-- group:  Market Intel
-- answer: list
-- param:  limit  int = 25 in 1..50 "Rows to return." e.g. 10
-- param:  sector text? among sectors.sector rest-only "Only this sector; capitals do not matter." e.g. Financial Services
SELECT symbol,
       company_name,
       sector,
       quarter,
       ecs_score,
       ecs_rank,
       announced_on,
       days_since,
       announcement_return,
       drift_return,
       sue,
       pat_growth_yoy,
       revenue_growth_yoy,
       margin_change_yoy,
       market_cap_cr,
       market_cap_assumed,
       price_cmp,
       session,
       rs_rating,
       benchmark
FROM   ecs_rankings
WHERE  pead_signal
AND    ($sector IS NULL OR sector = $sector)
ORDER  BY ecs_score DESC, symbol
LIMIT  $limit
