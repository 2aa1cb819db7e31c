-- Earnings-quality score (ECS) of a company's newest announced quarter, with its components.
--
-- The score weighs percentiles among all companies with the same quarter: surprise 30, profit over a year 20, revenue over a year 15,
-- margin over a year 15, profit over a quarter 10, return over the benchmark around the announcement 10. A score needs at least four of
-- them; without a score, `unscored_because` says why, and `scored_quarter` is the newest quarter that has one.
--
-- tool:   get_ecs_score
-- tier:   api_pro
-- group:  Company Intel
-- answer: one
-- column: scored_quarter      text?         "The company's newest quarter with a score; null if no quarter has one."
-- column: scored_quarter_ecs  number? score "Earnings-quality score of that quarter."
-- column: scored_quarter_rank int? rank     "Place by the score among the companies with that quarter."
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- also:   us
-- us-tool:  us_get_ecs_score
-- us-group: US Markets
-- us-param: symbol text "Ticker of the company." e.g. BAQEBO
SELECT e.symbol,
       c.company_name,
       c.sector,
       e.quarter,
       e.ecs_score,
       e.ecs_rank,
       q.scored,
       e.unscored_because,
       p.quarter   AS scored_quarter,
       p.ecs_score AS scored_quarter_ecs,
       p.ecs_rank  AS scored_quarter_rank,
       e.pead_signal,
       e.inputs,
       e.inputs_missing,
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
LEFT   JOIN earnings p ON p.symbol = e.symbol AND p.is_latest_scored
LEFT   JOIN earnings_quarters q ON q.quarter = e.quarter
LEFT   JOIN companies c ON c.symbol = e.symbol
WHERE  e.symbol = $symbol
AND    e.is_latest
