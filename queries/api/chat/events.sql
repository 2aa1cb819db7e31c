-- Chat: dated events of all or some companies, the newest or the largest first: insider trades, deals, orders, corporate actions, results, pledges, changes of guidance, price bands.
--
-- Values are INR crore. An order's share is that of the last twelve months' revenue. A pledge is a change of the pledged share of the
-- promoters' shares against the report before; its value is null and its change is in percentage points. Results that are due are
-- expected 364 days after those of the same quarter of the year before. They answer only where `kinds` names them, the earliest first.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- optional: insider_trades, order_wins, corporate_events, earnings, fundamentals
-- india-optional: deals, pledges, circuits, guidance_tones
-- us-optional: sec_filings
-- india-param: kinds   list? in 0..9 "Only these kinds, with commas between: insider, deal, order, action, result, pledge, guidance, band, due; if omitted, all but due." e.g. insider,order
-- us-param: kinds   list? in 0..6 "Only these kinds, with commas between: insider, order, action, result, filing, due; if omitted, all but due." e.g. insider,order
-- param:  symbols list? of companies.symbol in 0..50 "Only these symbols, with commas between."
-- param:  days    int = 30 in 1..400 "Calendar days back from the last session." e.g. 365
-- param:  since   date? "First day, in the place of `days`." e.g. 2026-10-01
-- param:  min_value number? "Only events with a value of at least this." e.g. 0
-- param:  side    text? in (buy, sell) "Only purchases, or only sales." e.g. buy
-- param:  upcoming bool = false "Also corporate actions, and results that are due, of as many days after the last session." e.g. true
-- param:  what    text? in 2..40 "Only where `what` has these words, by their beginning: split, block, 8-K, market." e.g. purchase
-- param:  by      text = date in (date, size) "The newest first, or those of the largest value." e.g. size
-- param:  limit   int = 25 in 1..200 "Rows to return." e.g. 20
-- india-column: value      number? inr_crore "Value of the event."
-- us-column: value_m    number? usd_million "Value of the event."
-- column: event_amount  number? money "Value of the event in whole units of the market's currency."
-- also:   us
-- us-prose: Values are USD million. Filings are those of the SEC. Results that are due are expected 364 days after those of the
-- us-prose: same quarter of the year before. They answer only where `kinds` names them, the earliest first.
-- us-names: value = value_m, value_cr = value_usd_m
-- us-param: symbols list? of companies.symbol in 0..50 "Only these tickers, with commas between."
SELECT e.event_date,
       e.symbol,
       c.company_name,
       e.kind,
       e.what,
       e.who,
       e.event_side,
       e.value,
       e.value * CASE WHEN market() = 'us' THEN 1e6 ELSE 1e7 END AS event_amount,
       e.of_revenue_pct,
       e.change_points
FROM   (SELECT *, value_cr AS value FROM market_events) e
LEFT   JOIN companies c ON c.symbol = e.symbol
WHERE  e.event_date >= COALESCE($since, as_of() - $days)
AND    (e.event_date <= as_of() OR ($upcoming AND e.kind IN ('action', 'due') AND e.event_date <= as_of() + $days))
AND    ($kinds IS NULL AND e.kind <> 'due' OR array_has($kinds, e.kind))
AND    ($symbols IS NULL OR array_has($symbols, e.symbol))
AND    ($min_value IS NULL OR e.value >= $min_value)
AND    ($side IS NULL OR e.event_side = $side)
AND    ($what IS NULL OR has_words(e.what, $what))
ORDER  BY CASE WHEN $by = 'size' THEN e.value END DESC NULLS LAST,
          CASE WHEN e.kind = 'due' THEN e.event_date END NULLS FIRST,
          e.event_date DESC, e.value DESC NULLS LAST, e.symbol, e.kind, e.what
LIMIT  $limit
