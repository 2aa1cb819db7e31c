-- Chat: dated figures of a stock: prices, ratings as they were on the day, averages, the newest first.
--
-- Prices are adjusted for splits and bonuses to the shares of today. A row is the last session up to each step back from `to`: at most 13
-- steps, and the session of `from`. Ratings are those of the session, as it was then.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  from   date? "First day; left out, three months before the last session." e.g. 2026-07-01
-- param:  to     date? "Last day; left out, the last session." e.g. 2026-10-30
-- param:  every  text = week in (session, week, month, quarter) "The step of the rows: a day, 7 days, a month or three months." e.g. month
-- constraint: `from` is not after `to`.
-- column: close  number price "Closing price, adjusted."
-- column: volume number shares "Shares traded, adjusted."
-- column: pct_from_high number? pct "Distance of the price from the 52-week high, 0 at the high, negative below it."
-- also:   us
-- us-param: symbol text "Ticker of the company." e.g. BAQEBO
WITH rated AS (
    SELECT session, symbol, rs_rating, rs_rank
    FROM   rs_history
    WHERE  array_has(make_array(
               session_on(CAST(COALESCE($to, as_of()) - CASE $every WHEN 'session' THEN INTERVAL '0 days' WHEN 'week' THEN INTERVAL '0 days' WHEN 'month' THEN INTERVAL '0 months' ELSE INTERVAL '0 months' END AS DATE)),
               session_on(CAST(COALESCE($to, as_of()) - CASE $every WHEN 'session' THEN INTERVAL '1 days' WHEN 'week' THEN INTERVAL '7 days' WHEN 'month' THEN INTERVAL '1 months' ELSE INTERVAL '3 months' END AS DATE)),
               session_on(CAST(COALESCE($to, as_of()) - CASE $every WHEN 'session' THEN INTERVAL '2 days' WHEN 'week' THEN INTERVAL '14 days' WHEN 'month' THEN INTERVAL '2 months' ELSE INTERVAL '6 months' END AS DATE)),
               session_on(CAST(COALESCE($to, as_of()) - CASE $every WHEN 'session' THEN INTERVAL '3 days' WHEN 'week' THEN INTERVAL '21 days' WHEN 'month' THEN INTERVAL '3 months' ELSE INTERVAL '9 months' END AS DATE)),
               session_on(CAST(COALESCE($to, as_of()) - CASE $every WHEN 'session' THEN INTERVAL '4 days' WHEN 'week' THEN INTERVAL '28 days' WHEN 'month' THEN INTERVAL '4 months' ELSE INTERVAL '12 months' END AS DATE)),
               session_on(CAST(COALESCE($to, as_of()) - CASE $every WHEN 'session' THEN INTERVAL '5 days' WHEN 'week' THEN INTERVAL '35 days' WHEN 'month' THEN INTERVAL '5 months' ELSE INTERVAL '15 months' END AS DATE)),
               session_on(CAST(COALESCE($to, as_of()) - CASE $every WHEN 'session' THEN INTERVAL '6 days' WHEN 'week' THEN INTERVAL '42 days' WHEN 'month' THEN INTERVAL '6 months' ELSE INTERVAL '18 months' END AS DATE)),
               session_on(CAST(COALESCE($to, as_of()) - CASE $every WHEN 'session' THEN INTERVAL '7 days' WHEN 'week' THEN INTERVAL '49 days' WHEN 'month' THEN INTERVAL '7 months' ELSE INTERVAL '21 months' END AS DATE)),
               session_on(CAST(COALESCE($to, as_of()) - CASE $every WHEN 'session' THEN INTERVAL '8 days' WHEN 'week' THEN INTERVAL '56 days' WHEN 'month' THEN INTERVAL '8 months' ELSE INTERVAL '24 months' END AS DATE)),
               session_on(CAST(COALESCE($to, as_of()) - CASE $every WHEN 'session' THEN INTERVAL '9 days' WHEN 'week' THEN INTERVAL '63 days' WHEN 'month' THEN INTERVAL '9 months' ELSE INTERVAL '27 months' END AS DATE)),
               session_on(CAST(COALESCE($to, as_of()) - CASE $every WHEN 'session' THEN INTERVAL '10 days' WHEN 'week' THEN INTERVAL '70 days' WHEN 'month' THEN INTERVAL '10 months' ELSE INTERVAL '30 months' END AS DATE)),
               session_on(CAST(COALESCE($to, as_of()) - CASE $every WHEN 'session' THEN INTERVAL '11 days' WHEN 'week' THEN INTERVAL '77 days' WHEN 'month' THEN INTERVAL '11 months' ELSE INTERVAL '33 months' END AS DATE)),
               session_on(CAST(COALESCE($to, as_of()) - CASE $every WHEN 'session' THEN INTERVAL '12 days' WHEN 'week' THEN INTERVAL '84 days' WHEN 'month' THEN INTERVAL '12 months' ELSE INTERVAL '36 months' END AS DATE)),
               session_on(COALESCE($from, CAST(as_of() - INTERVAL '3 months' AS DATE)))), session)
),
-- A step at which the stock was not rated has its bar all the same, so sessions are those of any stock.
steps AS (
    SELECT session,
           MAX(CASE WHEN symbol = $symbol THEN rs_rating END) AS rs_rating,
           MAX(CASE WHEN symbol = $symbol THEN rs_rank END)   AS rs_rank
    FROM   rated
    GROUP  BY session
),
bars AS (
    SELECT p.symbol,
           p.session,
           p.price_segment,
           p.close * p.cumulative_split_factor / l.cumulative_split_factor_now AS close,
           p.high * p.cumulative_split_factor / l.cumulative_split_factor_now  AS high,
           p.change_pct,
           p.volume * l.cumulative_split_factor_now / p.cumulative_split_factor AS volume
    FROM   daily_prices p
    JOIN   latest_bars l ON l.symbol = p.symbol
    WHERE  p.symbol = $symbol
    AND    l.symbol = $symbol
    AND    p.session <= COALESCE($to, as_of())
),
figures AS (
    SELECT *,
           CASE WHEN COUNT(close) OVER bars_50 >= 50 THEN AVG(close) OVER bars_50 END    AS sma_50,
           CASE WHEN COUNT(close) OVER bars_200 >= 200 THEN AVG(close) OVER bars_200 END AS sma_200,
           100 * (close / LAG(close, 63) OVER (PARTITION BY symbol, price_segment ORDER BY session) - 1) AS roc_63,
           100 * (close / highest_in_days(high, CAST(session AS INT), 365) OVER bars - 1) AS pct_from_high
    FROM   bars
    WINDOW bars_50 AS (PARTITION BY symbol, price_segment ORDER BY session ROWS BETWEEN 49 PRECEDING AND CURRENT ROW),
           bars_200 AS (PARTITION BY symbol, price_segment ORDER BY session ROWS BETWEEN 199 PRECEDING AND CURRENT ROW),
           bars AS (PARTITION BY symbol, price_segment ORDER BY session)
)
SELECT f.session,
       f.symbol,
       f.close,
       f.change_pct,
       f.volume,
       t.rs_rating,
       t.rs_rank,
       f.pct_from_high,
       f.sma_50,
       f.sma_200,
       f.roc_63
FROM   figures f
JOIN   steps t ON t.session = f.session
WHERE  f.session >= session_on(COALESCE($from, CAST(as_of() - INTERVAL '3 months' AS DATE)))
ORDER  BY f.session DESC
