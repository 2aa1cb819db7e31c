-- Drift of a company's price after its newest earnings: the signal and the figures behind it.
--
-- The signal is true if the earnings-quality score is 70 or more, the announcement is at most 45 calendar days old, and the stock is ahead
-- of the benchmark since the close of the session of the announcement. It is null if one of these figures is not known and no other one
-- rules the signal out; `pead_missing` names the unknown figure. If the quarter has no score, `unscored_because` says why, and
-- `scored_quarter` is the newest quarter that has one.
--
-- tool:   get_company_pead
-- tier:   api_pro
-- group:  Company Intel
-- answer: one
-- column: in_window bool "Whether the announcement is at most 45 calendar days old."
-- column: pead_missing text? "The figure that the signal needs and that is not known; null if the signal is known."
-- column: scored_quarter      text?         "The company's newest quarter with a score; null if no quarter has one."
-- column: scored_quarter_ecs  number? score "Earnings-quality score of that quarter."
-- column: scored_quarter_rank int? rank     "Place by the score among the companies with that quarter."
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
SELECT e.symbol,
       c.company_name,
       c.sector,
       e.quarter,
       e.pead_signal,
       CASE WHEN e.pead_signal IS NULL THEN
           array_to_string(make_array(
               CASE WHEN e.ecs_score IS NULL THEN 'ecs_score' END,
               CASE WHEN e.drift_return IS NULL THEN 'drift_return' END), ', ')
       END AS pead_missing,
       e.ecs_score,
       e.ecs_rank,
       e.unscored_because,
       p.quarter   AS scored_quarter,
       p.ecs_score AS scored_quarter_ecs,
       p.ecs_rank  AS scored_quarter_rank,
       e.announced_on,
       e.filed_assumed,
       e.day_0,
       e.days_since,
       e.days_since <= 45 AS in_window,
       e.announcement_return,
       e.drift_return,
       e.benchmark,
       e.sue,
       e.pat_growth_yoy,
       e.revenue_growth_yoy,
       e.margin_change_yoy,
       e.period_end,
       e.basis
FROM   earnings e
LEFT   JOIN earnings p ON p.symbol = e.symbol AND p.is_latest_scored
LEFT   JOIN companies c ON c.symbol = e.symbol
WHERE  e.symbol = $symbol
AND    e.is_latest
