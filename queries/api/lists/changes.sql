-- What changed in the caller's lists, or for named stocks, since a day: ratings, scans, prices, deals, insiders, orders, results, actions.
--
-- `rating` rows are ratings that moved by three points or more, `elite` rows stocks that came among those rated 90 or more, or left them,
-- `scan` rows stocks that entered or left scans, which are known for the last 63 sessions, and `price` rows prices that moved by 5 % or more.
-- All other rows are events after that day. Without `list` and `symbols`, all stocks answer.
--
-- tool:   get_watchlist_changes
-- tier:   api_pro
-- group:  Lists
-- answer: list
-- optional: insider_trades, order_wins, corporate_events, earnings, scan_spells
-- india-optional: deals, pledges
-- us-optional: sec_filings
-- param:  list     list? in 1..8 own-list "Names of your lists, with commas between."
-- param:  symbols  list? of companies.symbol in 0..200 "Symbols of stocks, with commas between." e.g. BAXIPAPOWR,DEXENIELEC
-- param:  since    date? "The earlier day; if omitted, the session before the last." e.g. 2026-10-01
-- param:  limit    int = 100 in 1..400 rest-only "Rows to return." e.g. 20
-- column: change_date date "The day of the event; of a rating, a scan and a price, the last session."
-- column: change_kind text "rating, elite, scan, insider, order, action or result; in India also price, deal or pledge, in the US filing."
-- column: change_words text? "What changed, in words of the source or of the figures."
-- column: change_side text? "buy or sell; of a rating, a price and a pledge up or down; of the elite and of scans entered or left."
-- india-column: value   number? inr_crore "Value of the event."
-- us-column: value_m    number? usd_million "Value of the event."
-- also:   us
-- us-tool: us_get_watchlist_changes
-- us-title: What changed in the caller's lists, or for named stocks, since a day: ratings, scans, insiders, orders, results, actions, filings
-- us-prose: `rating` rows are ratings that moved by three points or more, `elite` rows stocks that came among those rated 90 or more, or
-- us-prose: left them, `scan` rows stocks that entered or left scans, which are known for the last 63 sessions. All other rows are events after that day.
-- us-names: value = value_m, value_cr = value_usd_m
-- us-param: symbols  list? of companies.symbol in 0..200 "Tickers of stocks, with commas between." e.g. BAQEBO
WITH listed_stocks AS (
    SELECT symbol, company_name, rs_rating, session
    FROM   stocks
    WHERE  ($list IS NULL AND $symbols IS NULL OR $list IS NOT NULL AND array_has($list, symbol) OR $symbols IS NOT NULL AND array_has($symbols, symbol))
),
past AS (
    SELECT symbol, rs_rating, session FROM rs_history WHERE session = COALESCE(session_on($since), session_ago(1))
),
scan_states AS (
    SELECT symbol,
           CASE scan_name
               WHEN 'stage2'   THEN 'stage 2'
               WHEN 'nearHigh' THEN 'near high'
               WHEN 'highVol'  THEN 'high volume'
               WHEN 'vcp'      THEN 'contraction'
               WHEN 'brs'      THEN 'ready'
               WHEN 'volume'   THEN 'twice the volume'
               WHEN 'ipo'      THEN 'recent listing'
           END AS scan_words,
           bool_or(left_on IS NULL) AS is_in,
           bool_or(entered_on <= COALESCE(session_on($since), session_ago(1))
                   AND COALESCE(left_on > COALESCE(session_on($since), session_ago(1)), TRUE)) AS was_in
    FROM   scan_spells
    WHERE  scan_name NOT IN ('stage2NearHigh', 'allThree', 'all')
    AND    COALESCE(COALESCE(session_on($since), session_ago(1)) >= session_ago(62), TRUE)
    -- A spell that ended by then tells nothing, nor does one that began by then and goes on.
    AND    (entered_on > COALESCE(session_on($since), session_ago(1)) OR left_on > COALESCE(session_on($since), session_ago(1)))
    -- The condition of `listed_stocks`, repeated for spells, pledges and events: it finds their rows by symbol, which a join does not.
    AND    ($list IS NULL AND $symbols IS NULL OR $list IS NOT NULL AND array_has($list, symbol) OR $symbols IS NOT NULL AND array_has($symbols, symbol))
    GROUP  BY symbol, scan_name
),
closes AS (
    SELECT symbol, adj_close FROM session_closes WHERE session = as_of()
),
past_closes AS (
    SELECT symbol, adj_close FROM session_closes WHERE session = COALESCE(session_on($since), session_ago(1))
),
moves AS (
    SELECT a.symbol, 100 * (n.adj_close / t.adj_close - 1) AS move_pct
    FROM   listed_stocks a
    JOIN   closes n ON n.symbol = a.symbol
    JOIN   past_closes t ON t.symbol = a.symbol
),
events AS (
    SELECT symbol, event_date, kind, what, who, event_side AS side, value_cr AS value
    FROM   market_events
    WHERE  kind IN ('insider', 'order', 'action', 'result', 'deal', 'filing')
    UNION ALL
    -- The words name the pledge before, too.
    SELECT symbol, COALESCE(filed_on, period_end), 'pledge',
           'pledged ' || CAST(round(pledge_pct, 2) AS TEXT) || ' % of the promoters'' shares, after ' || CAST(round(before_pct, 2) AS TEXT) || ' %', NULL,
           CASE WHEN pledge_pct > before_pct THEN 'up' ELSE 'down' END, NULL
    FROM   (SELECT *, CASE WHEN LAG(symbol) OVER (ORDER BY symbol, period_end) = symbol THEN LAG(pledge_pct) OVER (ORDER BY symbol, period_end) END AS before_pct
            FROM   pledges
            WHERE  ($list IS NULL AND $symbols IS NULL OR $list IS NOT NULL AND array_has($list, symbol) OR $symbols IS NOT NULL AND array_has($symbols, symbol)))
    WHERE  pledge_pct <> before_pct
),
changes AS (
    SELECT a.symbol, as_of() AS event_date, 'rating' AS kind,
           'RS ' || CAST(p.rs_rating AS TEXT) || ' to ' || CAST(a.rs_rating AS TEXT) AS what,
           CAST(NULL AS TEXT) AS who,
           CASE WHEN a.rs_rating > p.rs_rating THEN 'up' ELSE 'down' END AS side,
           CAST(NULL AS DOUBLE) AS value,
           CASE WHEN abs(a.rs_rating - p.rs_rating) >= 10 THEN 0 ELSE 2 END AS place
    FROM   listed_stocks a
    JOIN   past p ON p.symbol = a.symbol
    WHERE  abs(a.rs_rating - p.rs_rating) >= 3
    UNION ALL
    SELECT a.symbol, as_of(), 'elite', 'rated 90 or more', NULL, CASE WHEN a.rs_rating >= 90 THEN 'entered' ELSE 'left' END, NULL, 1
    FROM   listed_stocks a
    JOIN   past p ON p.symbol = a.symbol
    WHERE  (a.rs_rating >= 90) <> (p.rs_rating >= 90)
    UNION ALL
    SELECT symbol, as_of(), 'scan', array_to_string(array_agg(scan_words ORDER BY scan_words), ', '), NULL, CASE WHEN is_in THEN 'entered' ELSE 'left' END, NULL, 3
    FROM   scan_states
    WHERE  is_in <> was_in
    GROUP  BY symbol, is_in
    UNION ALL
    SELECT symbol, as_of(), 'price', CASE WHEN move_pct > 0 THEN '+' ELSE '' END || CAST(round(move_pct, 2) AS TEXT) || ' %', NULL,
           CASE WHEN move_pct > 0 THEN 'up' ELSE 'down' END, NULL, 1
    FROM   moves
    WHERE  abs(move_pct) >= 5
    UNION ALL
    SELECT e.symbol, e.event_date, e.kind, e.what, e.who, e.side, e.value, 3
    FROM   events e
    JOIN   listed_stocks a ON a.symbol = e.symbol
    WHERE  e.event_date > COALESCE(session_on($since), session_ago(1))
    AND    e.event_date <= as_of()
    AND    ($list IS NULL AND $symbols IS NULL OR $list IS NOT NULL AND array_has($list, e.symbol) OR $symbols IS NOT NULL AND array_has($symbols, e.symbol))
)
SELECT e.event_date AS change_date,
       e.symbol,
       a.company_name,
       e.kind AS change_kind,
       e.what AS change_words,
       e.who,
       e.side AS change_side,
       e.value
FROM   changes e
JOIN   listed_stocks a ON a.symbol = e.symbol
ORDER  BY e.event_date DESC, e.place, e.symbol, e.kind, e.value DESC NULLS LAST, e.what, e.who
LIMIT  $limit
