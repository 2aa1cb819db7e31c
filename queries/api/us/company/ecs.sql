-- Earnings-quality score (ECS) of a company's newest announced quarter, with what it is made of.
--
-- The score weighs percentiles among all companies with the same quarter: surprise 30, profit over a year 20, revenue over a year 15,
-- margin over a year 15, profit over a quarter 10, return over the benchmark around the announcement 10. Four of them at the least.
--
-- tool:   us_get_ecs_score
-- tier:   api_pro
-- group:  US Markets
-- answer: one
-- param:  symbol text "Ticker of the company." e.g. BAQEBO
SELECT e.symbol,
       c.company_name,
       c.sector,
       e.quarter,
       e.ecs_score,
       e.ecs_rank,
       q.scored,
       e.pead_signal,
       e.inputs,
       e.coverage,
       e.sue,
       e.sue_pct,
       e.pat_growth_yoy,
       e.pat_yoy_pct,
       e.revenue_growth_yoy,
       e.revenue_yoy_pct,
       e.margin_change_yoy,
       e.margin_pct,
       e.pat_growth_qoq,
       e.pat_qoq_pct,
       e.announcement_return,
       e.announcement_pct,
       e.drift_return,
       e.eps,
       e.eps_change,
       e.period_end,
       e.announced_on,
       e.filed_assumed,
       e.day_0,
       e.days_since,
       e.basis,
       e.benchmark
FROM   earnings e
LEFT   JOIN earnings_quarters q ON q.quarter = e.quarter
LEFT   JOIN companies c ON c.symbol = e.symbol
WHERE  e.symbol = $symbol
AND    e.is_latest
