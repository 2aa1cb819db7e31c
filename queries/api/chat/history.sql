-- Chat: dated figures of a stock by session, week, month or quarter: prices, ratings as they were on the day, averages, stage, the newest first.
--
-- Prices are adjusted for splits and bonuses to the shares of today. A row is the stock's last session of each calendar week, month or
-- quarter, the newest one up to `to`; its volume is that of the whole step, its return since the end of the step before. Ratings are those
-- of the session, as it was then.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- optional: rs_ratings
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  from   date? "First day; if omitted, three months before the last day. A day before the data means their first session." e.g. 2026-07-01
-- param:  to     date? "Last day; if omitted, the last session." e.g. 2026-10-30
-- param:  every  text? in (session, week, month, quarter) "The step of the rows: sessions, or calendar weeks, months or quarters; left out, sessions of at most 31 days, else weeks." e.g. month
-- constraint: `from` is not after `to`.
-- column: close  number price "Closing price, adjusted."
-- column: volume number shares "Shares traded, adjusted."
-- column: return_pct number? pct "Change of the adjusted close over the period."
-- column: pct_from_high number? pct "Distance of the price from the 52-week high, 0 at the high, negative below it."
-- column: stage_since date? "First session of the stage that the stock is in at the row's session."
-- column: first_session date "First session of these figures in the files; nothing is known before it."
-- also:   us
-- us-param: symbol text "Ticker of the company." e.g. BAQEBO
WITH bars AS (
    SELECT p.symbol,
           p.session,
           p.price_segment,
           p.close * p.cumulative_split_factor / l.cumulative_split_factor_now AS close,
           p.high * p.cumulative_split_factor / l.cumulative_split_factor_now  AS high,
           p.volume * l.cumulative_split_factor_now / p.cumulative_split_factor AS volume,
           l.first_bar,
           CASE COALESCE($every, CASE WHEN $from >= COALESCE($to, as_of()) - 31 THEN 'session' ELSE 'week' END)
               WHEN 'session' THEN p.session
               WHEN 'week'    THEN CAST(date_trunc('week', p.session) AS DATE)
               WHEN 'month'   THEN CAST(date_trunc('month', p.session) AS DATE)
               ELSE CAST(date_trunc('quarter', p.session) AS DATE)
           END AS step
    FROM   daily_prices p
    JOIN   latest_bars l ON l.symbol = p.symbol
    WHERE  p.symbol = $symbol
    AND    l.symbol = $symbol
    AND    p.session <= COALESCE($to, as_of())
),
figures AS (
    SELECT *,
           sma(close, 50)  OVER bars AS sma_50,
           sma(close, 200) OVER bars AS sma_200,
           roc(close, 63)  OVER bars AS roc_63,
           stage(close)    OVER bars AS stage,
           100 * (close / highest_in_days(high, CAST(session AS INT), 365) OVER bars - 1) AS pct_from_high,
           SUM(volume) OVER (PARTITION BY symbol, step) AS step_volume,
           COALESCE(LEAD(step) OVER (PARTITION BY symbol ORDER BY session) > step, TRUE) AS is_step_end
    FROM   bars
    WINDOW bars AS (PARTITION BY symbol, price_segment ORDER BY session)
),
staged AS (
    SELECT *,
           CASE WHEN stage IS DISTINCT FROM LAG(stage) OVER (PARTITION BY symbol, price_segment ORDER BY session) THEN session END AS stage_began
    FROM   figures
),
spells AS (
    SELECT *,
           MAX(stage_began) OVER (PARTITION BY symbol, price_segment ORDER BY session
                                  ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS stage_since
    FROM   staged
),
steps AS (
    SELECT *,
           100 * (close / LAG(close) OVER (PARTITION BY symbol, price_segment ORDER BY session) - 1) AS return_pct
    FROM   spells
    WHERE  is_step_end
),
rated AS (
    SELECT session, rs_rating
    FROM   rs_ratings
    WHERE  symbol = $symbol
    AND    session >= COALESCE($from, CAST(COALESCE($to, as_of()) - INTERVAL '3 months' AS DATE))
    AND    session <= COALESCE($to, as_of())
)
SELECT f.session,
       f.symbol,
       f.close,
       f.return_pct,
       f.step_volume AS volume,
       r.rs_rating,
       f.pct_from_high,
       f.sma_50,
       f.sma_200,
       f.roc_63,
       f.stage,
       CASE WHEN f.stage IS NOT NULL THEN f.stage_since END AS stage_since,
       f.first_bar AS first_session
FROM   steps f
LEFT   JOIN rated r ON r.session = f.session
WHERE  f.session >= COALESCE($from, CAST(COALESCE($to, as_of()) - INTERVAL '3 months' AS DATE))
ORDER  BY f.session DESC
