-- The caller's recorded screens, committees and presets, and what followed their picks: returns after 5, 21 and 63 sessions beside those of all stocks.
--
-- `screens/save` with `ledger=on` marks a screen. A server that serves another set appends a line with its last session to the ledger of
-- each marked screen: the stocks that the screen lists and did not list in the line before, and those that left it. No line is ever
-- rewritten. A pick is a stock in the session in which it was first recorded; other conditions under the same name begin other picks. The
-- verdict of each finished committee is a pick of its model, the first one on a stock and a session, and so is each
-- stock that a finished preset would buy. It is in the figures if that session
-- is after the day up to which the model was trained, as the file of its provider declares it; if that is unknown, it is not. Late picks,
-- recorded after the close of the next session, are not in the figures either. Returns are those of `ledger_results`, and the figures those
-- of `explore/ledger`. A ledger remains after its screen is removed. Other owners do not see it.
--
-- tool:   none
-- tier:   free
-- group:  Lists
-- answer: list
-- run:    screen_ledger
-- param:  name     text? in 1..300 "Only the ledger of this name." e.g. Cheap growth
-- param:  market   text = india in (india, us) "The market of the screens."
-- param:  sessions int = 252 in 1..504 "Number of sessions, up to the last one, whose picks are used."
-- param:  symbols  list? in 1..100 "Only picks of these stocks, with commas between." e.g. BAXIPAPOWR
-- param:  lines    bool = false "Also the lines of each ledger, as they are stored." e.g. true
-- column: ledgers         rows  "One entry for each ledger."
-- column: ledgers.name    text  "Name of the screen; or `committee` or a preset, a colon, the provider and the model."
-- column: ledgers.is_recorded bool "Whether the picks of coming sessions are recorded."
-- column: ledgers.is_damaged bool "Whether a line was changed or is missing. Its lines and figures are left out here; the operator finds the line by `parquote audit --ledger`."
-- column: ledgers.line_count int count "Lines, one for each recorded session or verdict."
-- column: ledgers.late_count int count "Lines that were written after the close of the next session."
-- column: ledgers.trained_until date? "Day up to which the model was trained; null for a screen, and if it is unknown."
-- column: ledgers.unscored_count int count "Verdicts that are not in the figures for that reason."
-- column: ledgers.first_session date? "First recorded session."
-- column: ledgers.last_session date? "Last recorded session."
-- column: ledgers.ledger_head text "BLAKE3 hash of the last line, which proves all lines."
-- column: ledgers.lines   texts? "Its lines; null without `lines=true`."
-- column: figures         rows  "An entry for each ledger, its conditions or verdicts, and each horizon."
-- column: figures.name    text  "Name of the ledger."
-- column: figures.picked_by text "Page of the screen below the market, with its conditions, or the verdict: BUY, WATCH, AVOID or INSUFFICIENT_DATA, or the preset."
-- column: figures.sessions_after  int count   "Sessions after the pick: 5, 21 or 63."
-- column: figures.pick_count      int count   "Picks with a return."
-- column: figures.pick_days       int count   "Sessions with such picks."
-- column: figures.mean_return_pct number pct  "Mean over the sessions of the mean return of their picks."
-- column: figures.base_return_pct number pct  "Mean over the same sessions of the mean return of all stocks that traded on them."
-- column: figures.rising_pct      number pct  "Picks with a return above 0, in percent."
-- column: figures.base_rising_pct number pct  "Stocks with a return above 0, in percent of all stocks; mean over the same sessions."
-- column: figures.excess_pct      number pct  "Mean return less that of all stocks."
-- column: figures.excess_low_pct  number? pct "Lower end of its 95 % interval; null for fewer than five blocks of sessions."
-- column: figures.excess_high_pct number? pct "Upper end of its 95 % interval."
-- column: figures.block_count     int count   "Blocks of sessions, each as long as the horizon, on which the interval rests."
-- column: count           int   "Number of ledgers."

-- when: symbols absent
SELECT symbol
FROM   latest_bars
WHERE  COALESCE(session >= session_ago($sessions - 1), TRUE)
ORDER  BY symbol

-- when: symbols present
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
    WHERE  array_has($symbols, p.symbol)
    AND    COALESCE(p.session >= session_ago($sessions - 1), TRUE)
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
),
returns AS (
    -- Of each stock with a name, otherwise of all together.
    SELECT CASE WHEN $name IS NOT NULL THEN symbol ELSE '' END AS symbol,
           session,
           session_number,
           sessions_after,
           100 * (end_close / adj_close - 1) AS return_pct
    FROM   followed
    WHERE  session_number + sessions_after <= last_number
)
SELECT symbol,
       session,
       session_number,
       sessions_after,
       COUNT(*)                                 AS stock_count,
       COUNT(*) FILTER (WHERE return_pct > 0) AS rising_count,
       SUM(return_pct)                          AS return_sum
FROM   returns
GROUP  BY symbol, session, session_number, sessions_after
ORDER  BY symbol, session, sessions_after
