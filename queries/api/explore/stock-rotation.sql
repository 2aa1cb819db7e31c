-- Explorer: rotation of stocks: the quadrant of each against the index of its own sector, with tails.
--
-- An operation of the explorer. The figures are those of the sector rotation, with a stock in the place of the sector and the index of its
-- sector in the place of the benchmark: a stock that is Leading is strong within its sector. A row is a stock in the week of the session
-- that `as_of` names, up to that session; `trail` holds the weeks before it, the newest first. A stock needs a bar in that session and about
-- 32 weeks of bars without an unexplained jump; two years before the session are read. Sectors are those of today.
--
-- tool:   none
-- tier:   api_pro
-- group:  Explorer
-- answer: list
-- page:   rotation/sector *
-- picture: rotation title="Rotation within the sector" x=rs_ratio:"Relative strength" y=rs_momentum:"Momentum" of=symbol tail=session rows=trail
-- param:  symbols list of companies.symbol in 1..50 "Symbols with commas between them, at most 50." e.g. BAXIPAPOWR,TOXIFATELE
-- param:  as_of text? in (1m, 3m, 6m, 1y, YYYY-MM-DD) "`1m`, `3m`, `6m` or `1y` for as long ago, a date YYYY-MM-DD, or left out for the last session." e.g. 3m
-- param:  weeks int = 4 in 0..26 "Weeks in the tails." e.g. 8
-- column: rs_ratio number? ratio "Relative strength against its own 14 weeks: above 100 it is strong."
-- column: trail rows? "Position in the weeks before, each at its last session, the newest first; null if there are none."
-- also:   us
-- us-param: symbols list of companies.symbol in 1..50 "Tickers with commas between them, at most 50." e.g. BAQEBO
WITH requested AS (
    SELECT CASE
               WHEN $as_of IS NULL THEN as_of()
               WHEN $as_of = '1m'  THEN session_on(CAST(as_of() - INTERVAL '1 month' AS DATE))
               WHEN $as_of = '3m'  THEN session_on(CAST(as_of() - INTERVAL '3 months' AS DATE))
               WHEN $as_of = '6m'  THEN session_on(CAST(as_of() - INTERVAL '6 months' AS DATE))
               WHEN $as_of = '1y'  THEN session_on(CAST(as_of() - INTERVAL '1 year' AS DATE))
               ELSE session_on(TRY_CAST($as_of AS DATE))
           END AS session
),
bars AS (
    SELECT p.symbol,
           p.session,
           p.price_segment,
           -- A constant factor changes no figure below, so the shares of the first bar do.
           100 * p.close * p.cumulative_split_factor / i.index_level AS rs,
           (CAST(p.session AS INT) + 3) / 7                          AS week
    FROM   daily_prices p
    JOIN   stocks s ON s.symbol = p.symbol
    JOIN   sector_rotation i ON i.session = p.session AND i.sector = s.sector
    WHERE  array_has($symbols, p.symbol)
    AND    p.session <= (SELECT session FROM requested)
    AND    p.session > (SELECT session FROM requested) - 730
),
lines AS (
    SELECT *, ema(rs, 10) OVER (PARTITION BY symbol, price_segment ORDER BY session) AS rs_average
    FROM   bars
),
standing AS (
    SELECT *, 100 + week_zscore(rs_average, week, 14) OVER (PARTITION BY symbol, price_segment ORDER BY session) AS standing
    FROM   lines
),
ratios AS (
    SELECT *, ema(standing, 10) OVER (PARTITION BY symbol, price_segment, standing IS NULL ORDER BY session) AS ratio
    FROM   standing
),
changes AS (
    SELECT *, week_roc(ratio, week, 1) OVER (PARTITION BY symbol, price_segment ORDER BY session) AS ratio_change
    FROM   ratios
),
smoothed AS (
    SELECT *, ema(ratio_change, 10) OVER (PARTITION BY symbol, price_segment, ratio_change IS NULL ORDER BY session) AS change_average
    FROM   changes
),
scores AS (
    SELECT *,
           100 + week_zscore(change_average, week, 14) OVER (PARTITION BY symbol, price_segment ORDER BY session) AS rs_momentum,
           LEAD(week) OVER (PARTITION BY symbol, price_segment ORDER BY session)                                  AS next_week
    FROM   smoothed
),
positions AS (
    SELECT symbol,
           session,
           CAST(CAST(7 * week - 3 AS INT) AS DATE) AS week_start,
           next_week IS NULL OR next_week <> week  AS is_week_end,
           ratio                                   AS rs_ratio,
           rs_momentum,
           CASE
               WHEN ratio > 100 AND rs_momentum > 100 THEN 'Leading'
               WHEN ratio > 100                       THEN 'Weakening'
               WHEN rs_momentum > 100                 THEN 'Improving'
               ELSE 'Lagging'
           END AS quadrant
    FROM   scores
    WHERE  rs_momentum IS NOT NULL
),
present AS (
    SELECT *
    FROM   positions
    WHERE  session = (SELECT session FROM requested)
),
trails AS (
    SELECT p.symbol,
           array_agg(named_struct(
               'week_start',  r.week_start,
               'session',     r.session,
               'rs_ratio',    r.rs_ratio,
               'rs_momentum', r.rs_momentum,
               'quadrant',    r.quadrant
           ) ORDER BY r.week_start DESC) AS trail
    FROM   present p
    JOIN   positions r ON r.symbol = p.symbol AND r.is_week_end
    WHERE  r.week_start < p.week_start
    AND    r.week_start >= p.week_start - 7 * $weeks
    GROUP  BY p.symbol
)
SELECT p.symbol,
       s.company_name,
       s.sector,
       s.industry,
       p.week_start,
       p.session,
       p.quadrant,
       p.rs_ratio,
       p.rs_momentum,
       t.trail
FROM   present p
JOIN   stocks s ON s.symbol = p.symbol
LEFT   JOIN trails t ON t.symbol = p.symbol
ORDER  BY p.symbol
