-- Chat: breadth of the market by session, week, month or quarter, the newest first.
--
-- A row is the last session of each calendar week, month or quarter, the newest one up to `to`. Shares of stocks above their averages are
-- percent of the traded stocks that have one.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- coverage: breadth
-- india-optional: session_breadth
-- param:  from   date? "First day; if omitted, three months before the last day. A day before the data means their first session." e.g. 2026-07-01
-- param:  to     date? "Last day; if omitted, the last session." e.g. 2026-10-30
-- param:  every  text? in (session, week, month, quarter) "The step of the rows: sessions, or calendar weeks, months or quarters; left out, sessions of at most 31 days, else months." e.g. month
-- constraint: `from` is not after `to`.
-- column: pct_above_sma50  number? pct "Stocks above their 50-bar mean, in percent of the traded stocks that have one."
-- column: pct_above_sma200 number? pct "Stocks above their 200-bar mean, in percent of the traded stocks that have one."
-- column: new_highs     int? count "Stocks whose high was their 52-week high."
-- column: new_lows      int? count "Stocks whose low was their 52-week low."
-- india-column: depth_note text? "Why there are no shares above 50 and 200 bars and no new highs and lows: their table is not in the data."
-- column: first_session date "First session of these figures in the files; nothing is known before it."
-- also:   us
-- us-omit: depth_note
WITH dated AS (
    SELECT *,
           CASE COALESCE($every, CASE WHEN $from >= COALESCE($to, as_of()) - 31 THEN 'session' ELSE 'month' END)
               WHEN 'session' THEN session
               WHEN 'week'    THEN CAST(date_trunc('week', session) AS DATE)
               WHEN 'month'   THEN CAST(date_trunc('month', session) AS DATE)
               ELSE CAST(date_trunc('quarter', session) AS DATE)
           END AS step
    -- Only in the US, breadth has these; in India, `depth` has them.
    FROM   (SELECT * FROM breadth
            UNION  ALL BY NAME
            SELECT NULL AS pct_above_sma50, NULL AS pct_above_sma200, NULL AS new_highs, NULL AS new_lows WHERE FALSE)
    WHERE  session <= COALESCE($to, as_of())
),
stepped AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY step ORDER BY session DESC) AS turn FROM dated
),
depth AS (
    -- The list of sessions is the key by which this long table is read.
    SELECT *
    FROM   session_depth
    WHERE  array_has(sessions_held(COALESCE($from, CAST(COALESCE($to, as_of()) - INTERVAL '3 months' AS DATE)) - 1, COALESCE($to, as_of()) + 1, 10000), session)
),
edge AS (
    SELECT MIN(session) AS first_session FROM breadth
)
SELECT s.session,
       s.advances,
       s.declines,
       s.unchanged,
       s.mcclellan,
       s.pct_above_sma10,
       s.pct_above_sma20,
       s.pct_above_sma40,
       COALESCE(s.pct_above_sma50, d.pct_above_sma50)   AS pct_above_sma50,
       COALESCE(s.pct_above_sma200, d.pct_above_sma200) AS pct_above_sma200,
       COALESCE(s.new_highs, d.new_highs)               AS new_highs,
       COALESCE(s.new_lows, d.new_lows)                 AS new_lows,
       CASE WHEN COUNT(d.session) OVER () = 0 THEN 'not known: the table session_breadth is not there' END AS depth_note,
       s.benchmark,
       s.benchmark_close,
       e.first_session
FROM   stepped s
CROSS  JOIN edge e
LEFT   JOIN depth d ON d.session = s.session
WHERE  s.turn = 1
AND    s.session >= COALESCE($from, CAST(COALESCE($to, as_of()) - INTERVAL '3 months' AS DATE))
ORDER  BY s.session DESC
