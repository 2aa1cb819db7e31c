-- Chat: stocks whose figures moved since an earlier session: rating, distance from the high, and place among the strongest.
--
-- A stock that was not rated at both sessions is left out unless the call names its symbol. `elite_change` says whether the stock came among
-- those rated 90 or more, or left them.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- param:  then    date? "The earlier day; if omitted, the session before the last." e.g. 2026-10-29
-- param:  symbols list? of companies.symbol in 0..50 "Only these symbols, with commas between." e.g. BAXIPAPOWR
-- param:  limit   int = 20 in 1..200 "Rows to return." e.g. 10
-- column: rs_now   int? rating "Relative-strength rating now."
-- column: rs_then  int? rating "Relative-strength rating at the earlier session."
-- column: rs_delta int? points "Rating now less the earlier rating."
-- column: elite_change text? "entered or left the stocks rated 90 or more; null for those that did neither."
-- column: change_pct number? pct
-- column: session_then date "The earlier session."
-- also:   us
-- us-param: symbols list? of companies.symbol in 0..50 "Only these tickers, with commas between." e.g. BAQEBO
WITH past AS (
    SELECT symbol, session, rs_rating
    FROM   rs_history
    WHERE  session = COALESCE(session_on($then), session_ago(1))
)
SELECT k.symbol,
       k.company_name,
       k.sector,
       k.rs_rating               AS rs_now,
       p.rs_rating               AS rs_then,
       k.rs_rating - p.rs_rating AS rs_delta,
       CASE
           WHEN k.rs_rating >= 90 AND p.rs_rating < 90 THEN 'entered'
           WHEN k.rs_rating < 90 AND p.rs_rating >= 90 THEN 'left'
       END AS elite_change,
       CASE WHEN COALESCE(session_on($then), session_ago(1)) = session_ago(1) THEN k.change_pct END AS change_pct,
       k.pct_from_high,
       k.stage,
       COALESCE(session_on($then), session_ago(1)) AS session_then
FROM   stocks k
LEFT   JOIN past p ON p.symbol = k.symbol
WHERE  ($symbols IS NULL OR array_has($symbols, k.symbol))
AND    ($symbols IS NOT NULL OR (k.rs_rating <> p.rs_rating AND k.is_tradable))
ORDER  BY abs(k.rs_rating - p.rs_rating) DESC NULLS LAST, k.symbol
LIMIT  $limit
