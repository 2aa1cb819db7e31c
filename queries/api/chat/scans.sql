-- Chat: stocks that entered or left scans since an earlier session.
--
-- A stock entered a scan if it is in it and was not at the earlier session; it left the scan if the reverse holds. The scans that join others
-- (stage2NearHigh, allThree, all) answer only where `scan` names them. Scans are known for the last 63 sessions; an earlier day is answered
-- from the first of these, which `known_from` names. The answer lists only tradable stocks unless the call names symbols.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- optional: scan_spells
-- param:  then    date? "The earlier day; if omitted, the session before the last." e.g. 2026-10-01
-- param:  scan    text? in (stage2, nearHigh, highVol, vcp, brs, volume, ipo, stage2NearHigh, allThree, all) "Only this scan." e.g. stage2
-- param:  symbols list? of companies.symbol in 0..50 "Only these symbols, with commas between." e.g. TOXUGAINDS,BAXURATECH
-- param:  limit   int = 20 in 1..200 "Rows to return." e.g. 10
-- column: scans_entered text? "Scans that the stock entered, with commas between."
-- column: scans_left    text? "Scans that the stock left, with commas between."
-- column: moved_on      date? "Newest day of these moves."
-- column: session_then  date  "The earlier session."
-- column: known_from    date  "First session of which scans are known."
-- also:   us
-- us-param: symbols list? of companies.symbol in 0..50 "Only these tickers, with commas between." e.g. MUXILU,HAZEDA
WITH earlier AS (
    SELECT COALESCE(session_ago(62), MIN(session))                                AS known_from,
           greatest(COALESCE(session_on($then), session_ago(1)), session_ago(62)) AS session_then
    FROM   sessions
),
states AS (
    SELECT symbol,
           scan_name,
           bool_or(left_on IS NULL) AS is_in,
           MAX(COALESCE(left_on, entered_on)) AS moved_on,
           bool_or(entered_on <= session_then
                   AND COALESCE(left_on > session_then, TRUE)) AS was_in
    FROM   scan_spells
    CROSS  JOIN earlier
    WHERE  ($scan IS NULL AND scan_name NOT IN ('stage2NearHigh', 'allThree', 'all') OR scan_name = $scan)
    AND    ($symbols IS NULL OR array_has($symbols, symbol))
    -- A spell that ended by then tells nothing, nor does one that began by then and goes on.
    AND    (entered_on > session_then OR left_on > session_then)
    GROUP  BY symbol, scan_name
),
moves AS (
    SELECT symbol,
           array_to_string(array_agg(scan_name ORDER BY scan_name) FILTER (WHERE is_in), ', ')     AS scans_entered,
           array_to_string(array_agg(scan_name ORDER BY scan_name) FILTER (WHERE NOT is_in), ', ') AS scans_left,
           MAX(moved_on) AS moved_on,
           -- A day of high volume is soon over.
           COUNT(*) FILTER (WHERE scan_name NOT IN ('highVol', 'volume'))          AS lasting
    FROM   states
    WHERE  is_in <> was_in
    GROUP  BY symbol
)
SELECT m.symbol,
       k.company_name,
       k.sector,
       m.scans_entered,
       m.scans_left,
       m.moved_on,
       k.rs_rating,
       k.change_pct,
       e.session_then,
       e.known_from
FROM   moves m
JOIN   stocks k ON k.symbol = m.symbol
CROSS  JOIN earlier e
WHERE  $symbols IS NOT NULL OR k.is_tradable
ORDER  BY m.lasting DESC, k.rs_rating DESC NULLS LAST, m.symbol
LIMIT  $limit
