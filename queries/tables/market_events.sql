-- Market events: what happened to companies and what is due, one row an event.
--
-- Events are insider trades, orders, corporate actions, results, deals, days at a price band, changes of pledges, changes of guidance, and
-- filings. Days after the market's date are those of corporate actions that were announced, and of results that are expected as in
-- `expected_results`. A pledge is a change of the pledged share of the promoters' shares against the report before.
--
-- view:    yes
-- key:     symbol, event_date, kind
-- optional: insider_trades, order_wins, corporate_events, earnings, fundamentals, deals, pledges, circuits, guidance_tones, sec_filings
-- column: symbol         text
-- column: event_date     date    "Day of the event, or of its filing; the expected day of results that are due."
-- column: kind           text    "insider, deal, order, action, result, pledge, guidance, band, filing or due."
-- column: what           text?   "What happened, in words of the source or of the figures."
-- column: who            text?   "Who traded, bought or ordered."
-- column: event_side     text?   "buy or sell; of a pledge or guidance up or down; of a price band upper or lower."
-- column: value_cr       number? inr_crore india
-- column: value_usd_m    number? usd_million us
-- column: of_revenue_pct number? pct    "Value in percent of the last twelve months' revenue, of an order."
-- column: change_points  number? points "Change in percentage points, of a pledge."
SELECT symbol,
       filed_on AS event_date,
       'insider' AS kind,
       CONCAT_WS(', ', transaction_type, mode, CAST(shares AS TEXT) || ' shares') AS what,
       person AS who,
       side AS event_side,
       CAST(value_cr AS DOUBLE) AS value_cr,
       CAST(value_usd AS DOUBLE) / 1e6 AS value_usd_m,
       CAST(NULL AS DOUBLE) AS of_revenue_pct,
       CAST(NULL AS DOUBLE) AS change_points
-- A market has one of the two columns of values, and India the mode of the trade; what a market lacks is null here.
FROM   (SELECT * FROM insider_trades UNION ALL BY NAME SELECT NULL AS value_cr, NULL AS value_usd, NULL AS mode WHERE FALSE)
UNION  ALL
SELECT o.symbol, o.filed_on, 'order', o.title, o.client, NULL, o.value_cr, o.value_usd_m,
       COALESCE(100 * o.value_cr * 1e7, 100 * o.value_usd_m * 1e6) / NULLIF(f.revenue_ttm, 0),
       NULL
FROM   (SELECT * FROM order_wins UNION ALL BY NAME SELECT NULL AS value_cr, NULL AS value_usd_m WHERE FALSE) o
LEFT   JOIN fundamentals f ON f.symbol = o.symbol
UNION  ALL
-- Sources shorten their words: the type stands before `INTDIV - RS 3.00 PER SH` and `FV SPLT FRM RS 2 TO RE 1`.
SELECT symbol, ex_date, 'action',
       CASE WHEN strpos(lower(purpose), action_words) > 0 THEN purpose ELSE CONCAT_WS(': ', action_words, purpose) END, NULL, NULL, NULL, NULL, NULL, NULL
FROM   (SELECT *, CASE WHEN action_type <> 'other' THEN action_type WHEN dividend IS NOT NULL THEN 'dividend' END AS action_words FROM corporate_events)
UNION  ALL
SELECT symbol, announced_on, 'result',
       CONCAT_WS(', ', quarter, 'revenue ' || CAST(round(revenue_growth_yoy, 1) AS TEXT) || ' % yoy',
                 'profit ' || CAST(round(pat_growth_yoy, 1) AS TEXT) || ' % yoy'),
       NULL, NULL, CASE WHEN market() = 'india' THEN revenue / 1e7 END, CASE WHEN market() = 'us' THEN revenue / 1e6 END, NULL, NULL
FROM   earnings
WHERE  NOT filed_assumed
UNION  ALL
SELECT symbol, results_due, 'due', 'expected: results of the quarter to ' || CAST(due_quarter_end AS TEXT) || ', as a year before',
       NULL, NULL, NULL, NULL, NULL, NULL
FROM   expected_results
UNION  ALL
SELECT symbol, deal_date, 'deal', deal_type || ' deal, ' || CAST(quantity AS TEXT) || ' shares', client, side, value_cr, NULL, NULL, NULL
FROM   deals
UNION  ALL
SELECT symbol, session, 'band', CASE WHEN locked THEN 'closed at the limit' ELSE 'touched the limit' END, NULL, direction,
       turnover / 1e7, NULL, NULL, NULL
FROM   circuits
UNION  ALL
SELECT symbol, COALESCE(filed_on, period_end), 'pledge',
       'pledged ' || CAST(round(pledge_pct, 2) AS TEXT) || ' % of the promoters'' shares on ' || CAST(period_end AS TEXT), NULL,
       CASE WHEN pledge_pct > before_pct THEN 'up' ELSE 'down' END, NULL, NULL, NULL, pledge_pct - before_pct
FROM   (SELECT *, CASE WHEN LAG(symbol) OVER (ORDER BY symbol, period_end) = symbol THEN LAG(pledge_pct) OVER (ORDER BY symbol, period_end) END AS before_pct FROM pledges)
WHERE  pledge_pct <> before_pct
UNION  ALL
SELECT symbol, COALESCE(call_date, period_end), 'guidance', CONCAT_WS(': ', 'guidance ' || guidance_change, guidance[1]), NULL,
       CASE guidance_change WHEN 'raised' THEN 'up' ELSE 'down' END, NULL, NULL, NULL, NULL
FROM   guidance_tones
WHERE  guidance_change IN ('raised', 'lowered')
UNION  ALL
SELECT symbol, filed_on, 'filing', form || ': ' || title, NULL, NULL, NULL, NULL, NULL, NULL
FROM   sec_filings
WHERE  symbol IS NOT NULL
