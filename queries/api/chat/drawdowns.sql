-- Chat: the deepest fall of each stock from a high to a later low, with its dates.
--
-- By closes, adjusted for splits and bonuses, from `from` on, within the stock's last price segment. The high is the last session at the
-- highest close before the low; the fall is made good on the first later session that closes at the high or above.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- param:  symbols list of companies.symbol in 1..50 "Symbols with commas between them." e.g. BAXIPAPOWR,TOXIFATELE
-- param:  from   date? "First day; if omitted, 252 sessions back. A day before the data means their first session." e.g. 2025-11-03
-- param:  to     date? "Last day; if omitted, the last session." e.g. 2026-10-30
-- constraint: `from` is not after `to`.
-- column: from_session   date  "First session that is looked at."
-- column: to_session     date  "Last session that is looked at."
-- column: max_drawdown_pct number? pct "Deepest fall from a high, as a positive number."
-- column: peak_session   date? "Session of the high."
-- column: trough_session date? "Session of the low."
-- column: recovered_on   date? "First session after the low that closed at the high or above; null if none did."
-- column: drawdown_now_pct number? pct "Distance of the last close from the highest one, as a positive number."
-- also:   us
-- us-param: symbols list of companies.symbol in 1..50 "Tickers with commas between them." e.g. BAQEBO
WITH bars AS (
    SELECT p.symbol,
           p.session,
           p.close * p.cumulative_split_factor AS close
    FROM   daily_prices p
    JOIN   latest_bars l ON l.symbol = p.symbol AND l.price_segment = p.price_segment
    WHERE  array_has($symbols, p.symbol)
    AND    p.session >= COALESCE($from, session_ago(252), DATE '1900-01-01')
    AND    p.session <= COALESCE($to, as_of())
),
falls AS (
    SELECT *,
           MAX(close) OVER (PARTITION BY symbol ORDER BY session ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS high
    FROM   bars
),
spans AS (
    SELECT *,
           MAX(CASE WHEN close = high THEN session END) OVER (PARTITION BY symbol ORDER BY session ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS high_session,
           ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY close / high, session) AS depth,
           ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY session DESC)          AS from_last
    FROM   falls
),
deepest AS (
    SELECT symbol, session, close, high, high_session FROM spans WHERE depth = 1
)
SELECT s.symbol,
       MAX(100 * (1 - d.close / d.high)) AS max_drawdown_pct,
       MAX(CASE WHEN d.close < d.high THEN d.high_session END) AS peak_session,
       MAX(CASE WHEN d.close < d.high THEN d.session END)      AS trough_session,
       MIN(CASE WHEN d.close < d.high AND s.session > d.session AND s.close >= d.high THEN s.session END) AS recovered_on,
       MAX(CASE WHEN s.from_last = 1 THEN 100 * (1 - s.close / s.high) END) AS drawdown_now_pct,
       MIN(s.session) AS from_session,
       MAX(s.session) AS to_session
FROM   spans s
JOIN   deepest d ON d.symbol = s.symbol
GROUP  BY s.symbol
ORDER  BY MIN(array_position($symbols, s.symbol))
