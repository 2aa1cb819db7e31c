-- Ledger results: what followed the picks of the ledger over 5, 21 and 63 sessions, beside all stocks that traded on the same day.
--
-- Returns are of adjusted closes from the session of the pick to the last session of the horizon, without dividends and costs. A stock that
-- has no bar in that session, as after its delisting, has its last close before it, and one with an unexplained jump its last close before
-- the jump. A pick without a bar on its own session has no row. There are rows for the last 504 sessions after which the horizon has passed.
--
-- key:    symbol, entered_on, sessions_after
-- sorted: symbol, entered_on, sessions_after
-- formula: ledger results 1
-- column: symbol          text
-- column: entered_on      date
-- column: sessions_after  int count  "Sessions after the pick: 5, 21 or 63."
-- column: session_number  int        "Number of the session of the pick, from 1 for the first on file."
-- column: return_pct      number pct "Return over the horizon."
-- column: base_return_pct number pct "Mean return over the horizon of all stocks that traded on the session of the pick."
-- column: base_rising_pct number pct "Stocks with a return above 0, in percent of all that traded on the session of the pick."
WITH numbered AS (
    SELECT session,
           CAST(ROW_NUMBER() OVER (ORDER BY session) AS BIGINT) AS session_number,
           CAST(COUNT(*) OVER () AS BIGINT)                     AS last_number
    FROM   sessions
),
bars AS (
    SELECT p.symbol, p.price_segment, p.close * p.cumulative_split_factor AS adj_close, n.*
    FROM   daily_prices p
    JOIN   numbered n ON n.session = p.session
    WHERE  COALESCE(p.session >= session_ago(566), TRUE)
),
closes AS (
    SELECT *,
           last_value(adj_close) OVER (PARTITION BY symbol, price_segment ORDER BY session_number RANGE BETWEEN CURRENT ROW AND 5 FOLLOWING)  AS close_5,
           last_value(adj_close) OVER (PARTITION BY symbol, price_segment ORDER BY session_number RANGE BETWEEN CURRENT ROW AND 21 FOLLOWING) AS close_21,
           last_value(adj_close) OVER (PARTITION BY symbol, price_segment ORDER BY session_number RANGE BETWEEN CURRENT ROW AND 63 FOLLOWING) AS close_63
    FROM   bars
),
followed AS (
    SELECT *,
           unnest(make_array(5, 21, 63))                    AS sessions_after,
           unnest(make_array(close_5, close_21, close_63)) AS end_close
    FROM   closes
    WHERE  session IN (SELECT entered_on FROM ledger_picks)
),
returns AS (
    SELECT *, 100 * (end_close / adj_close - 1) AS return_pct
    FROM   followed
    WHERE  session_number + sessions_after <= last_number
),
base AS (
    SELECT session,
           sessions_after,
           AVG(return_pct)                                           AS base_return_pct,
           100.0 * COUNT(*) FILTER (WHERE return_pct > 0) / COUNT(*) AS base_rising_pct
    FROM   returns
    GROUP  BY session, sessions_after
)
SELECT r.symbol,
       r.session AS entered_on,
       r.sessions_after,
       r.session_number,
       r.return_pct,
       b.base_return_pct,
       b.base_rising_pct
FROM   returns r
JOIN   (SELECT DISTINCT symbol, entered_on FROM ledger_picks) p ON p.symbol = r.symbol AND p.entered_on = r.session
JOIN   base b ON b.session = r.session AND b.sessions_after = r.sessions_after
ORDER  BY r.symbol, r.session, r.sessions_after
