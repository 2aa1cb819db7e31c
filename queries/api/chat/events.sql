-- Chat: dated events of all or some companies, the newest or the largest first: insider trades, deals, orders, corporate actions, results, pledges, price bands.
--
-- Values are INR crore. An order's share is that of the last twelve months' revenue. A pledge is a change of the pledged share of the
-- promoters' shares against the report before; its value is null and its change is in percentage points. Results that are due are
-- expected as many days after the end of their quarter as a year before. They answer only where `kinds` names them, the earliest first.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- optional: insider_trades, order_wins, corporate_events, earnings, fundamentals
-- india-optional: deals, pledges, circuits
-- us-optional: sec_filings
-- india-param: kinds   list? in 0..8 "Only these kinds, with commas between: insider, deal, order, action, result, pledge, band, due; left out, all but due." e.g. insider,order
-- us-param: kinds   list? in 0..6 "Only these kinds, with commas between: insider, order, action, result, filing, due; left out, all but due." e.g. insider,order
-- param:  symbols list? of companies.symbol in 0..50 "Only these symbols, with commas between."
-- param:  days    int = 30 in 1..400 "Calendar days back from the last session." e.g. 365
-- param:  since   date? "First day, in the place of `days`." e.g. 2026-10-01
-- param:  min_value number? "Only events with a value of at least this." e.g. 0
-- param:  side    text? in (buy, sell) "Only purchases, or only sales." e.g. buy
-- param:  upcoming bool = false "Also corporate actions, and results that are due, of as many days after the last session." e.g. true
-- param:  by      text = date in (date, size) "The newest first, or those of the largest value." e.g. size
-- param:  limit   int = 25 in 1..200 "Rows to return." e.g. 20
-- column: event_date date "Day of the event, or of its filing; the expected day of results that are due."
-- column: kind       text "insider, deal, order, action, result, pledge, band, filing or due."
-- column: what       text? "What happened, in words of the source or of the figures."
-- column: who        text? "Who traded, bought or ordered."
-- column: event_side text? "buy or sell; of a pledge up or down; of a price band upper or lower."
-- india-column: value      number? inr_crore "Value of the event."
-- us-column: value_m    number? usd_million "Value of the event."
-- column: of_revenue_pct number? pct "Value in percent of the last twelve months' revenue, of an order."
-- column: change_points  number? points "Change in percentage points, of a pledge."
-- also:   us
-- us-prose: Values are USD million. Filings are those of the SEC. Results that are due are expected as many days after the
-- us-prose: end of their quarter as a year before. They answer only where `kinds` names them, the earliest first.
-- us-names: value = value_m
-- us-param: symbols list? of companies.symbol in 0..50 "Only these tickers, with commas between."
WITH asked AS (
    SELECT symbol, filed_on AS event_date, 'insider' AS kind,
           CONCAT_WS(', ', transaction_type, CAST(shares AS TEXT) || ' shares') AS what, person AS who, side,
           value_cr AS value, -- only india
           value_usd / 1e6 AS value, -- only us
           CAST(NULL AS DOUBLE) AS of_revenue_pct, CAST(NULL AS DOUBLE) AS change_points
    FROM   insider_trades
    UNION ALL
    SELECT o.symbol, o.filed_on, 'order', o.title, o.client, NULL,
           o.value_cr, -- only india
           o.value_usd_m, -- only us
           100 * o.value_cr * 1e7 / NULLIF(f.revenue_ttm, 0), -- only india
           100 * o.value_usd_m * 1e6 / NULLIF(f.revenue_ttm, 0), -- only us
           NULL
    FROM   order_wins o
    LEFT   JOIN fundamentals f ON f.symbol = o.symbol
    UNION ALL
    SELECT symbol, ex_date, 'action', purpose, NULL, NULL, NULL, NULL, NULL
    FROM   corporate_events
    UNION ALL
    SELECT symbol, announced_on, 'result',
           CONCAT_WS(', ', quarter, 'revenue ' || CAST(round(revenue_growth_yoy, 1) AS TEXT) || ' % yoy',
                     'profit ' || CAST(round(pat_growth_yoy, 1) AS TEXT) || ' % yoy'),
           NULL, NULL,
           revenue / 1e7, -- only india
           revenue / 1e6, -- only us
           NULL, NULL
    FROM   earnings
    WHERE  NOT filed_assumed
    UNION ALL
    SELECT b.symbol, CAST(b.period_end + INTERVAL '12 months' AS DATE) + (CAST(b.announced_on AS INT) - CAST(b.period_end AS INT)), 'due',
           'expected: results of the quarter to ' || CAST(CAST(b.period_end + INTERVAL '12 months' AS DATE) AS TEXT) || ', as a year before',
           NULL, NULL, NULL, NULL, NULL
    FROM   earnings l
    JOIN   earnings b ON b.symbol = l.symbol AND b.quarter_index = l.quarter_index - 3
    WHERE  l.is_latest AND b.is_timely AND NOT b.filed_assumed
-- only india
    UNION ALL
    SELECT symbol, deal_date, 'deal', deal_type || ' deal, ' || CAST(quantity AS TEXT) || ' shares', client, side, value_cr, NULL, NULL
    FROM   deals
    UNION ALL
    SELECT symbol, session, 'band', CASE WHEN locked THEN 'closed at the limit' ELSE 'touched the limit' END, NULL, direction,
           turnover / 1e7, NULL, NULL
    FROM   circuits
    UNION ALL
    SELECT symbol, COALESCE(filed_on, period_end), 'pledge',
           'pledged ' || CAST(round(pledge_pct, 2) AS TEXT) || ' % of the promoters'' shares on ' || CAST(period_end AS TEXT), NULL,
           CASE WHEN pledge_pct > before_pct THEN 'up' ELSE 'down' END, NULL, NULL, pledge_pct - before_pct
    FROM   (SELECT *, CASE WHEN LAG(symbol) OVER (ORDER BY symbol, period_end) = symbol THEN LAG(pledge_pct) OVER (ORDER BY symbol, period_end) END AS before_pct FROM pledges)
    WHERE  pledge_pct <> before_pct
-- only us
    UNION ALL
    SELECT symbol, filed_on, 'filing', form || ': ' || title, NULL, NULL, NULL, NULL, NULL
    FROM   sec_filings
    WHERE  symbol IS NOT NULL
-- all
)
SELECT e.event_date,
       e.symbol,
       c.company_name,
       e.kind,
       e.what,
       e.who,
       e.side AS event_side,
       e.value,
       e.of_revenue_pct,
       e.change_points
FROM   asked e
LEFT   JOIN companies c ON c.symbol = e.symbol
WHERE  e.event_date >= COALESCE($since, as_of() - $days)
AND    (e.event_date <= as_of() OR ($upcoming AND e.kind IN ('action', 'due') AND e.event_date <= as_of() + $days))
AND    ($kinds IS NULL AND e.kind <> 'due' OR array_has($kinds, e.kind))
AND    ($symbols IS NULL OR array_has($symbols, e.symbol))
AND    ($min_value IS NULL OR e.value >= $min_value)
AND    ($side IS NULL OR e.side = $side)
ORDER  BY CASE WHEN $by = 'size' THEN e.value END DESC NULLS LAST,
          CASE WHEN e.kind = 'due' THEN e.event_date END NULLS FIRST,
          e.event_date DESC, e.value DESC NULLS LAST, e.symbol, e.kind, e.what
LIMIT  $limit
