-- Corporate actions of all companies, the newest first.
--
-- An action counts on its ex-date. Announced actions whose ex-date is still to come are left out unless `upcoming=true`.
--
-- tool:   get_corporate_actions_feed
-- tier:   api_pro
-- group:  Feeds
-- answer: list
-- param:  action_type text? in (split, bonus, rights, buyback, merger, other, all) "Which kind to keep; left out, all. Dividends are other."
-- param:  days        int = 30 in 1..90   "Calendar days to look back from the market's date." e.g. 90
-- param:  upcoming    bool = false        "Whether to include actions of as many days after the market's date." e.g. true
-- param:  limit       int = 25 in 1..50   "Rows to return." e.g. 20
SELECT e.symbol,
       c.company_name,
       c.sector,
       e.ex_date,
       e.record_date,
       e.action_type,
       e.purpose,
       e.factor,
       e.source
FROM   corporate_events e
LEFT   JOIN companies c ON c.symbol = e.symbol
WHERE  e.ex_date >= as_of() - $days
AND    e.ex_date <= CASE WHEN $upcoming THEN as_of() + $days ELSE as_of() END
AND    ($action_type IS NULL OR $action_type = 'all' OR e.action_type = $action_type)
ORDER  BY e.ex_date DESC, e.symbol, e.sequence
LIMIT  $limit
