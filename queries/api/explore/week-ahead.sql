-- Explorer: the days after the last session with how many results are expected and how many actions have their ex-date, and whose.
--
-- An operation of the explorer. No source announces the days of results that are due: they are expected 364 days after the company
-- announced the same quarter of the year before. A day without either has no row. `explore/calendar` lists each event.
--
-- tool:   none
-- tier:   api_pro
-- group:  Explorer
-- answer: list
-- optional: earnings, corporate_events
-- param:  days    int = 7 in 1..90 "Calendar days after the last session." e.g. 14
-- column: weekday        text  "Day of the week."
-- column: due_count      int count "Companies whose results are expected on this day."
-- column: due_symbols    text? "The six largest of them."
-- column: action_count   int count "Companies with a corporate action whose ex-date is this day."
-- column: action_symbols text? "The six largest of them."
-- also:   us
WITH ahead AS (
    SELECT DISTINCT symbol, event_date, kind
    FROM   market_events
    WHERE  kind IN ('due', 'action')
    AND    event_date > as_of()
    AND    event_date <= as_of() + $days
)
SELECT a.event_date,
       to_char(a.event_date, '%A') AS weekday,
       COUNT(*) FILTER (WHERE a.kind = 'due')    AS due_count,
       array_to_string(array_slice(array_agg(a.symbol ORDER BY k.market_cap DESC NULLS LAST, a.symbol) FILTER (WHERE a.kind = 'due'), 1, 6), ', ') AS due_symbols,
       COUNT(*) FILTER (WHERE a.kind = 'action') AS action_count,
       array_to_string(array_slice(array_agg(a.symbol ORDER BY k.market_cap DESC NULLS LAST, a.symbol) FILTER (WHERE a.kind = 'action'), 1, 6), ', ') AS action_symbols
FROM   ahead a
LEFT   JOIN stocks k ON k.symbol = a.symbol
GROUP  BY a.event_date
ORDER  BY a.event_date
