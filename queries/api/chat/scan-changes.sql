-- Chat: stocks that entered or left a scan since an earlier session.
--
-- The scans stage2, nearHigh, highVol and volume, with their conditions as they held at both sessions. The others rest on figures that are
-- known of the last session alone.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- param:  then    date? "The earlier day; left out, the session before the last." e.g. 2026-10-01
-- param:  symbols list? of companies.symbol in 0..50 "Only these symbols, with commas between." e.g. BAXIPAPOWR
-- param:  limit   int = 20 in 1..200 "Rows to return." e.g. 10
-- column: scan        text "The scan: stage2, nearHigh, highVol or volume."
-- column: scan_change text "entered or left."
-- column: session_then date "The earlier session."
-- also:   us
-- us-param: symbols list? of companies.symbol in 0..50 "Only these tickers, with commas between." e.g. BAQEBO
WITH numbered AS (
    SELECT session,
           ROW_NUMBER() OVER (ORDER BY session DESC) AS place
    FROM   sessions
),
days AS (
    SELECT TRUE AS is_now, session, place FROM numbered WHERE session = as_of()
    UNION ALL
    SELECT FALSE, session, place FROM numbered WHERE session = COALESCE(session_on($then), session_ago(1))
),
bars AS (
    SELECT i.symbol,
           i.session,
           i.adj_close,
           i.change_pct,
           i.sma_50,
           i.sma_150,
           i.sma_200,
           i.wk52_high,
           i.rvol_20,
           i.stage,
           roc(i.sma_200, 21) OVER (PARTITION BY i.symbol, i.price_segment ORDER BY i.session) AS sma_200_change
    FROM   indicators i
    -- The change of a mean looks back on 21 bars; a stock that trades seldom needs more days for them.
    WHERE  i.session >= COALESCE(session_on($then), session_ago(1)) - 120
),
held AS (
    SELECT d.is_now,
           b.*,
           ROW_NUMBER() OVER (PARTITION BY d.is_now, b.symbol ORDER BY b.session DESC) AS age
    FROM   days d
    CROSS  JOIN bars b
    JOIN   numbered n ON n.session = b.session
    WHERE  n.place BETWEEN d.place AND d.place + 4
),
flags AS (
    SELECT symbol, is_now, 'nearHigh' AS scan, adj_close >= 0.95 * wk52_high AS holds FROM held WHERE age = 1
    UNION ALL
    SELECT symbol, is_now, 'highVol', change_pct > 0 AND rvol_20 >= 1.5 AND adj_close > sma_50 FROM held WHERE age = 1
    UNION ALL
    SELECT symbol, is_now, 'volume', rvol_20 >= 2 FROM held WHERE age = 1
    UNION ALL
    SELECT symbol, is_now, 'stage2', stage = 2 AND adj_close > sma_150 AND adj_close > sma_200 AND sma_150 > sma_200 AND sma_200_change > 0
               AND sma_50 > sma_150 AND sma_50 > sma_200 AND adj_close > sma_50
    FROM   held
    WHERE  age = 1
),
changes AS (
    SELECT symbol,
           scan,
           bool_or(holds AND is_now)     AS holds_now,
           bool_or(holds AND NOT is_now) AS held_then
    FROM   flags
    WHERE  holds
    GROUP  BY symbol, scan
)
SELECT c.symbol,
       k.company_name,
       c.scan,
       CASE WHEN c.holds_now THEN 'entered' ELSE 'left' END AS scan_change,
       k.rs_rating,
       k.change_pct,
       COALESCE(session_on($then), session_ago(1)) AS session_then
FROM   changes c
JOIN   stocks k ON k.symbol = c.symbol
WHERE  c.holds_now <> c.held_then
AND    ($symbols IS NULL OR array_has($symbols, c.symbol))
AND    ($symbols IS NOT NULL OR k.is_tradable)
ORDER  BY k.rs_rating DESC NULLS LAST, c.symbol, c.scan
LIMIT  $limit
