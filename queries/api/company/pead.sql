-- Drift of a company's price after its newest earnings: the signal, and what it rests on.
--
-- The signal is there when the earnings-quality score is 70 or more, the announcement is at most 45 calendar days old, and the
-- stock is ahead of the benchmark since the close of the session of the announcement.
--
-- tool:   get_company_pead
-- tier:   api_pro
-- group:  Company Intel
-- answer: one
-- column: in_window bool "Whether the announcement is at most 45 calendar days old."
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
SELECT e.symbol,
       c.company_name,
       c.sector,
       e.quarter,
       e.pead_signal,
       e.ecs_score,
       e.ecs_rank,
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
LEFT   JOIN companies c ON c.symbol = e.symbol
WHERE  e.symbol = $symbol
AND    e.is_latest
