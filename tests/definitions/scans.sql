-- The scans of every eligible stock, written from their definitions in plain SQL over prices, sessions and ratings.
--
-- No indicator function of the engine is used. Only the contraction pattern and what the rating is are taken from tables.
WITH days AS (
    SELECT session, ROW_NUMBER() OVER (ORDER BY session DESC) AS age FROM sessions
),
prices AS (
    SELECT symbol,
           session,
           price_segment,
           close * cumulative_split_factor  AS c,
           high * cumulative_split_factor   AS h,
           low * cumulative_split_factor    AS l,
           volume / cumulative_split_factor AS v,
           ROW_NUMBER() OVER (PARTITION BY symbol, price_segment ORDER BY session) AS n,
           ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY session DESC)     AS bars_ago,
           COUNT(*)     OVER (PARTITION BY symbol)                           AS bar_count,
           MIN(session) OVER (PARTITION BY symbol)                           AS first_bar
    FROM   daily_prices
),
means AS (
    SELECT *,
           CASE WHEN n >= 50  THEN AVG(c) OVER (PARTITION BY symbol, price_segment ORDER BY session ROWS BETWEEN 49 PRECEDING AND CURRENT ROW) END  AS m50,
           CASE WHEN n >= 150 THEN AVG(c) OVER (PARTITION BY symbol, price_segment ORDER BY session ROWS BETWEEN 149 PRECEDING AND CURRENT ROW) END AS m150,
           CASE WHEN n >= 200 THEN AVG(c) OVER (PARTITION BY symbol, price_segment ORDER BY session ROWS BETWEEN 199 PRECEDING AND CURRENT ROW) END AS m200,
           MAX(h) OVER (PARTITION BY symbol, price_segment ORDER BY session RANGE BETWEEN INTERVAL '365 days' PRECEDING AND CURRENT ROW) AS top,
           MIN(l) OVER (PARTITION BY symbol, price_segment ORDER BY session RANGE BETWEEN INTERVAL '365 days' PRECEDING AND CURRENT ROW) AS bottom,
           MAX(h) OVER (PARTITION BY symbol, price_segment ORDER BY session) AS top_since_listing,
           CASE WHEN n >= 21 THEN v / NULLIF(AVG(v) OVER (PARTITION BY symbol, price_segment ORDER BY session ROWS BETWEEN 20 PRECEDING AND 1 PRECEDING), 0) END AS rvol,
           c / LAG(c, 1)   OVER (PARTITION BY symbol, price_segment ORDER BY session) - 1 AS change,
           c / LAG(c, 63)  OVER (PARTITION BY symbol, price_segment ORDER BY session) - 1 AS roc_63,
           c / LAG(c, 126) OVER (PARTITION BY symbol, price_segment ORDER BY session) - 1 AS roc_126,
           c / LAG(c, 252) OVER (PARTITION BY symbol, price_segment ORDER BY session) - 1 AS roc_252
    FROM   prices
),
slopes AS (
    SELECT *,
           100 * (m150 / LAG(m150, 20) OVER (PARTITION BY symbol, price_segment ORDER BY session) - 1) AS slope,
           LAG(m200, 21) OVER (PARTITION BY symbol, price_segment ORDER BY session)                   AS m200_before
    FROM   means
),
trends AS (
    SELECT *, CASE WHEN c > m150 AND slope >= 1 THEN 2 WHEN c < m150 AND slope <= -1 THEN 4 END AS trend FROM slopes
),
states AS (
    SELECT *,
           LAST_VALUE(trend) IGNORE NULLS OVER (
               PARTITION BY symbol, price_segment ORDER BY session ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last_trend
    FROM   trends
),
stocks_now AS (
    SELECT s.*,
           CASE WHEN slope IS NULL THEN NULL WHEN trend IS NOT NULL THEN trend WHEN last_trend = 2 THEN 3 WHEN last_trend = 4 THEN 1 END AS stage,
           c / top AS nearness,
           r.rs_rating,
           p.vcp
    FROM   states s
    JOIN   days d ON d.session = s.session AND d.age <= 5
    LEFT   JOIN (SELECT symbol, rs_rating FROM rs_history WHERE session = (SELECT MAX(session) FROM sessions)) r ON r.symbol = s.symbol
    LEFT   JOIN scans p ON p.symbol = s.symbol
    WHERE  bars_ago = 1
),
-- Percentiles by average rank: below and equal are counted, not ranked by the engine's functions.
placed AS (
    SELECT *,
           CASE WHEN rs_rating IS NOT NULL AND COUNT(rs_rating) OVER () >= 5 THEN
               100.0 * (RANK() OVER (ORDER BY rs_rating NULLS LAST) + (COUNT(*) OVER (PARTITION BY rs_rating) - 1) / 2.0 - 1) / (COUNT(rs_rating) OVER () - 1) END AS p_rating,
           CASE WHEN nearness IS NOT NULL AND COUNT(nearness) OVER () >= 5 THEN
               100.0 * (RANK() OVER (ORDER BY nearness NULLS LAST) + (COUNT(*) OVER (PARTITION BY nearness) - 1) / 2.0 - 1) / (COUNT(nearness) OVER () - 1) END AS p_near,
           CASE WHEN rvol IS NOT NULL AND COUNT(rvol) OVER () >= 5 THEN
               100.0 * (RANK() OVER (ORDER BY rvol NULLS LAST) + (COUNT(*) OVER (PARTITION BY rvol) - 1) / 2.0 - 1) / (COUNT(rvol) OVER () - 1) END AS p_rvol,
           CASE WHEN roc_63 IS NOT NULL AND COUNT(roc_63) OVER () >= 5 THEN
               100.0 * (RANK() OVER (ORDER BY roc_63 NULLS LAST) + (COUNT(*) OVER (PARTITION BY roc_63) - 1) / 2.0 - 1) / (COUNT(roc_63) OVER () - 1) END AS p_63,
           CASE WHEN roc_126 IS NOT NULL AND COUNT(roc_126) OVER () >= 5 THEN
               100.0 * (RANK() OVER (ORDER BY roc_126 NULLS LAST) + (COUNT(*) OVER (PARTITION BY roc_126) - 1) / 2.0 - 1) / (COUNT(roc_126) OVER () - 1) END AS p_126,
           CASE WHEN roc_252 IS NOT NULL AND COUNT(roc_252) OVER () >= 5 THEN
               100.0 * (RANK() OVER (ORDER BY roc_252 NULLS LAST) + (COUNT(*) OVER (PARTITION BY roc_252) - 1) / 2.0 - 1) / (COUNT(roc_252) OVER () - 1) END AS p_252
    FROM   stocks_now
),
ready AS (
    SELECT *,
           25.0 * (CAST(c > m150 AND c > m200 AS INT) + CAST(m150 > m200 AS INT) + CAST(m200 > m200_before AS INT)
                   + CAST(m50 > m150 AND m50 > m200 AS INT) + CAST(c > m50 AS INT) + CAST(c >= 1.3 * bottom AS INT)
                   + CAST(c >= 0.75 * top AS INT)) / 7
           + 25.0 * (p_63 + p_126 + p_252) / 300
           + 20.0 * GREATEST(0.0, (nearness - 0.75) / 0.25)
           + 20.0 * CAST(stage = 2 AS INT)
           + 10.0 * CAST(vcp OR rvol >= 1.5 AS INT) AS readiness
    FROM   placed
),
scanned AS (
    SELECT symbol,
           c >= 0.95 * top AS near_high,
           stage = 2 AND c > m150 AND c > m200 AND m150 > m200 AND m200 > m200_before AND m50 > m150 AND m50 > m200 AND c > m50 AS stage2,
           change > 1e-12 AND rvol >= 1.5 AND c > m50 AS high_vol,
           rvol >= 2 AS volume,
           vcp,
           readiness >= 70 AS brs,
           first_bar > (SELECT MIN(session) FROM sessions) AND bar_count <= 252 AND price_segment = 0 AND c >= 0.85 * top_since_listing AS ipo,
           (p_rating + p_near + p_rvol) / 3 AS score,
           CASE WHEN p_rating IS NULL THEN (p_near + p_rvol) / 2 ELSE (p_rating + p_near + p_rvol) / 3 END AS ipo_score
    FROM   ready
)
SELECT symbol,
       near_high                          AS "nearHigh",
       stage2,
       high_vol                           AS "highVol",
       volume,
       vcp,
       brs,
       ipo,
       stage2 AND near_high               AS "stage2NearHigh",
       stage2 AND near_high               AS stage2nh,
       stage2 AND near_high AND high_vol  AS "allThree",
       stage2 OR near_high OR high_vol OR vcp OR brs AS "all",
       CAST(stage2 AS INT) + CAST(near_high AS INT) + CAST(high_vol AS INT) + CAST(vcp AS INT) + CAST(brs AS INT) AS matches,
       score,
       ipo_score,
       CASE WHEN vcp THEN LEAST(100.0, score + 10) ELSE score END AS effective_score
FROM   scanned
ORDER  BY symbol
