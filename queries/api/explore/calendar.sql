-- Explorer: the market's calendar: results that came and that are expected, corporate actions and deals by day, around the last session.
--
-- An operation of the explorer. No source announces the days of results that are due: they are expected 364 days after the company
-- announced the same quarter of the year before, and `is_expected` marks them. An action has its ex-date. The deals of a stock are one row
-- for each day and side, under the client of the largest. The value of results is the revenue. Days are in order. Within a day, your stocks
-- come first, then the largest deals and companies.
--
-- tool:   none
-- tier:   api_pro
-- group:  Explorer
-- answer: list
-- optional: earnings, corporate_events
-- india-optional: deals
-- param:  days_before int = 5 in 0..90 "Calendar days back from the last session." e.g. 10
-- param:  days_after  int = 14 in 0..90 "Calendar days after the last session." e.g. 7
-- india-param: kinds  list? in 0..4 "Only these kinds, with commas between: due, result, action, deal; if omitted, all." e.g. due,action
-- us-param:    kinds  list? in 0..3 "Only these kinds, with commas between: due, result, action; if omitted, all." e.g. due,action
-- param:  list        list? in 1..8 own-list "Names of your lists, with commas between: their stocks are yours."
-- param:  symbols     list? of companies.symbol in 0..200 "Symbols of your stocks, with commas between." e.g. BAXIPAPOWR
-- param:  own         text = first in (first, alone) "Your stocks first within each day, or alone."
-- param:  limit       int = 200 in 1..1000 "Rows to return." e.g. 20
-- column: weekday      text "Day of the week."
-- column: is_expected  bool "Whether the day is only expected: nobody has announced it."
-- column: is_own       bool "Whether it is one of your stocks."
-- india-column: value  number? inr_crore "Value of the event."
-- us-column: value_m   number? usd_million "Value of the event."
-- column: event_amount number? money "Value of the event in whole units of the market's currency."
-- also:   us
-- us-title: Explorer: the market's calendar: results that came and that are expected, and corporate actions by day, around the last session
-- us-prose: An operation of the explorer. No source announces the days of results that are due: they are expected 364 days after the
-- us-prose: company announced the same quarter of the year before, and `is_expected` marks them. An action has its ex-date. The value of
-- us-prose: results is the revenue. Days are in order. Within a day, your stocks come first, then the largest companies.
-- us-names: value = value_m, value_cr = value_usd_m
-- us-param: symbols    list? of companies.symbol in 0..200 "Tickers of your stocks, with commas between." e.g. BAQEBO
WITH days AS (
    SELECT symbol, event_date, kind, what, who, event_side, value_cr AS value
    FROM   market_events
    WHERE  kind IN ('due', 'result', 'action')
    UNION  ALL
    SELECT symbol,
           event_date,
           kind,
           CAST(COUNT(*) AS TEXT) || CASE WHEN COUNT(*) = 1 THEN ' deal' ELSE ' deals' END,
           FIRST_VALUE(who ORDER BY value_cr DESC, who),
           event_side,
           SUM(value_cr)
    FROM   market_events
    WHERE  kind = 'deal'
    GROUP  BY symbol, event_date, kind, event_side
),
marked AS (
    SELECT *, COALESCE($list IS NOT NULL AND array_has($list, symbol) OR $symbols IS NOT NULL AND array_has($symbols, symbol), FALSE) AS is_own
    FROM   days
    WHERE  event_date >= as_of() - $days_before
    AND    event_date <= as_of() + $days_after
    AND    ($kinds IS NULL OR array_has($kinds, kind))
)
SELECT m.event_date,
       to_char(m.event_date, '%A') AS weekday,
       m.symbol,
       c.company_name,
       m.kind,
       m.kind = 'due' AS is_expected,
       m.is_own,
       m.what,
       m.who,
       m.event_side,
       m.value,
       m.value * CASE WHEN market() = 'us' THEN 1e6 ELSE 1e7 END AS event_amount
FROM   marked m
LEFT   JOIN companies c ON c.symbol = m.symbol
LEFT   JOIN stocks k ON k.symbol = m.symbol
WHERE  $own = 'first' OR m.is_own
ORDER  BY m.event_date,
          m.is_own DESC,
          CASE m.kind WHEN 'due' THEN 1 WHEN 'result' THEN 2 WHEN 'action' THEN 3 ELSE 4 END,
          CASE WHEN m.kind = 'deal' THEN m.value * 1e7 ELSE k.market_cap END DESC NULLS LAST,
          m.symbol,
          m.what,
          m.event_side
LIMIT  $limit
