-- Explorer: the recorded picks of the scans and what followed: returns after 5, 21 and 63 sessions beside those of all stocks.
--
-- An operation of the explorer. A pick is a stock in the session in which the ledger first recorded it in the scan. Without `scan` each scan
-- has a row for each horizon, with it the picks are listed. Late picks, recorded after the close of the next session, are not in the figures;
-- picks that a correction withdrew are. Each session counts the same in the means. The excess is the mean of the sessions' differences from
-- all stocks. Neighbouring sessions share most of their returns, so its 95 % interval is computed from the means of blocks of sessions, each
-- as long as the horizon (t distribution); with fewer than five blocks there is none. `ledger_results` says how returns are computed.
--
-- tool:   none
-- tier:   api_pro
-- group:  Explorer
-- answer: list
-- optional: ledger_entries, ledger_picks, ledger_results
-- param:  scan     text? in (stage2, nearHigh, highVol, vcp, brs, volume, ipo, stage2NearHigh, allThree, all) "List the picks of this scan, the newest first, in place of the figures of all scans." e.g. stage2
-- param:  sessions int = 252 in 1..504 "Number of sessions, up to the last one, whose picks are used."
-- param:  limit    int = 50 in 1..500 "Rows to return." e.g. 10
-- column: pick_count      int count   "Picks with a return."
-- column: pick_days       int count   "Sessions with such picks."
-- column: mean_return_pct number pct  "Mean over the sessions of the mean return of their picks."
-- column: base_return_pct number pct  "Mean over the same sessions of the mean return of all stocks that traded on them."
-- column: rising_pct      number pct  "Picks with a return above 0, in percent."
-- column: base_rising_pct number pct  "Stocks with a return above 0, in percent of all stocks; mean over the same sessions."
-- column: excess_pct      number pct  "Mean return less that of all stocks."
-- column: excess_low_pct  number? pct "Lower end of its 95 % interval."
-- column: excess_high_pct number? pct "Upper end of its 95 % interval."
-- column: block_count     int count   "Blocks of sessions on which the interval rests."
-- column: ledger_head     text        "Hash of the last line of the ledger."
-- column: return_5_pct    number? pct "Return after 5 sessions."
-- column: return_21_pct   number? pct "Return after 21 sessions."
-- column: return_63_pct   number? pct "Return after 63 sessions."
-- column: is_late         bool        "Whether it was recorded after the close of the next session."
-- column: is_withdrawn    bool        "Whether a correction removed it from its own session."
-- also:   us

-- when: scan absent
WITH days AS (
    SELECT session, LEAD(session) OVER (ORDER BY session) AS next_session FROM sessions
),
picks AS (
    SELECT DISTINCT p.scan_name, p.symbol, p.entered_on
    FROM   ledger_picks p
    JOIN   ledger_entries e ON e.entry_number = p.entry_number
    LEFT   JOIN days d ON d.session = e.session
    WHERE  COALESCE(p.entered_on >= session_ago($sessions - 1), TRUE)
    AND    COALESCE(e.recorded_on < d.next_session OR (e.recorded_on = d.next_session AND NOT e.recorded_after_close), TRUE)
),
picked_days AS (
    SELECT p.scan_name,
           r.sessions_after,
           r.session_number / r.sessions_after             AS block,
           COUNT(*)                                 AS picks,
           COUNT(*) FILTER (WHERE r.return_pct > 0) AS rising,
           AVG(r.return_pct)                        AS return_pct,
           AVG(r.base_return_pct)                   AS base_return_pct,
           AVG(r.base_rising_pct)                   AS base_rising_pct
    FROM   picks p
    JOIN   ledger_results r ON r.symbol = p.symbol AND r.entered_on = p.entered_on
    GROUP  BY p.scan_name, r.sessions_after, r.session_number
),
blocks AS (
    SELECT scan_name, sessions_after, AVG(return_pct - base_return_pct) AS excess_pct FROM picked_days GROUP BY scan_name, sessions_after, block
),
widths AS (
    -- Half the width of the interval: the 97.5th percentile of Student's t by the expansion of Cornish and Fisher, to 0.01 from four degrees on.
    SELECT scan_name,
           sessions_after,
           COUNT(*) AS block_count,
           CASE WHEN COUNT(*) >= 5 THEN
               stddev(excess_pct) / sqrt(COUNT(*))
               * (1.959964 + 2.372271 / (COUNT(*) - 1) + 2.822496 / power(COUNT(*) - 1, 2) + 2.555857 / power(COUNT(*) - 1, 3))
           END AS half_width
    FROM   blocks
    GROUP  BY scan_name, sessions_after
)
SELECT f.scan_name,
       f.sessions_after,
       CAST(SUM(f.picks) AS BIGINT)         AS pick_count,
       COUNT(*)                             AS pick_days,
       AVG(f.return_pct)                    AS mean_return_pct,
       AVG(f.base_return_pct)               AS base_return_pct,
       100.0 * SUM(f.rising) / SUM(f.picks) AS rising_pct,
       AVG(f.base_rising_pct)               AS base_rising_pct,
       AVG(f.return_pct - f.base_return_pct) AS excess_pct,
       AVG(f.return_pct - f.base_return_pct) - MAX(w.half_width) AS excess_low_pct,
       AVG(f.return_pct - f.base_return_pct) + MAX(w.half_width) AS excess_high_pct,
       MAX(w.block_count)                   AS block_count,
       (SELECT entry_hash FROM ledger_entries ORDER BY entry_number DESC LIMIT 1) AS ledger_head
FROM   picked_days f
JOIN   widths w ON w.scan_name = f.scan_name AND w.sessions_after = f.sessions_after
GROUP  BY f.scan_name, f.sessions_after
ORDER  BY f.scan_name, f.sessions_after
LIMIT  $limit

-- when: scan present
WITH days AS (
    SELECT session, LEAD(session) OVER (ORDER BY session) AS next_session FROM sessions
),
results AS (
    SELECT symbol,
           entered_on,
           MAX(return_pct) FILTER (WHERE sessions_after = 5)  AS return_5_pct,
           MAX(return_pct) FILTER (WHERE sessions_after = 21) AS return_21_pct,
           MAX(return_pct) FILTER (WHERE sessions_after = 63) AS return_63_pct
    FROM   ledger_results
    GROUP  BY symbol, entered_on
)
SELECT p.symbol,
       c.company_name,
       p.scan_name,
       p.entered_on,
       p.left_on,
       p.recorded_close,
       r.return_5_pct,
       r.return_21_pct,
       r.return_63_pct,
       COALESCE(e.recorded_on > d.next_session OR (e.recorded_on = d.next_session AND e.recorded_after_close), FALSE) AS is_late,
       COALESCE(p.left_on = p.entered_on, FALSE)       AS is_withdrawn,
       e.recorded_on,
       e.entry_hash
FROM   ledger_picks p
JOIN   ledger_entries e ON e.entry_number = p.entry_number
LEFT   JOIN days d ON d.session = e.session
LEFT   JOIN results r ON r.symbol = p.symbol AND r.entered_on = p.entered_on
LEFT   JOIN companies c ON c.symbol = p.symbol
WHERE  p.scan_name = $scan
AND    COALESCE(p.entered_on >= session_ago($sessions - 1), TRUE)
ORDER  BY p.entered_on DESC, p.symbol, p.entry_number DESC
LIMIT  $limit
