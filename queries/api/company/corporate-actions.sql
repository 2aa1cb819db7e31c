-- Corporate actions of a company, the newest first.
--
-- An action counts on its ex-date. Announced actions whose ex-date is still to come are left out unless `upcoming=true`.
--
-- tool:   get_corporate_actions
-- tier:   api_pro
-- group:  Company Intel
-- answer: list
-- own-param:  symbol      text                    "Symbol of the company on NSE." e.g. DEQOMIPHAR
-- param:  action_type text? in (split, bonus, rights, buyback, merger, other, all) "Which kind to keep; if omitted, all. Dividends are other."
-- feeds-param:  days        int = 30 in 1..90   "Calendar days to look back from the market's date." e.g. 90
-- param:  upcoming    bool = false            "Whether to include actions whose ex-date is after the market's date." e.g. true
-- param:  limit       int = 10 in 1..20       "Rows to return." e.g. 5
-- also: feeds/corporate-actions
-- own-omit: sector
-- feeds-title: Corporate actions of all companies, the newest first
-- feeds-tool:   get_corporate_actions_feed
-- feeds-group:  Feeds
-- feeds-param:  upcoming    bool = false        "Whether to include actions of as many days after the market's date." e.g. true
-- feeds-param:  limit       int = 25 in 1..50   "Rows to return." e.g. 20
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
WHERE  ($symbol IS NULL OR e.symbol = $symbol)
AND    ($days IS NULL OR e.ex_date >= as_of() - $days)
AND    ($upcoming AND $days IS NULL OR e.ex_date <= CASE WHEN $upcoming THEN as_of() + COALESCE($days, 0) ELSE as_of() END)
AND    ($action_type IS NULL OR $action_type = 'all' OR e.action_type = $action_type)
ORDER  BY e.ex_date DESC, e.symbol, e.sequence
LIMIT  $limit
