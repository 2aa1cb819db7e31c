-- Scan spells: from when to when each stock was in each scan, over the last 63 sessions.
--
-- A spell is a run of sessions on each of which the stock was in the scan by its last bar, which is at most four sessions old. The
-- conditions are those of `scans`, in the same SQL from `flags` to `joint`; a scan with an unknown condition does not hold. A spell that
-- begins on the first of the 63 sessions may have begun before.
--
-- key:    symbol, scan_name, entered_on
-- sorted: symbol, scan_name, entered_on
-- of-day: left_on, days_in_scan
-- schedule: 30 12 * * 1-5 india
-- schedule: 0 18 * * 1-5 us
-- stale-after-hours: 78
-- formula: scan spells 2
-- column: symbol               text
-- column: scan_name    text "Scan, by the name that `market/trader-scan` knows: stage2, nearHigh, highVol, vcp, brs, volume, ipo, stage2NearHigh, allThree or all."
-- column: entered_on   date "First session on which the stock was in the scan."
-- column: left_on      date? "First session on which it no longer was in the scan; null while it is."
-- column: days_in_scan int count "Sessions without a break in the scan, or where none is named in that in which the stock is longest; 63 means 63 or more."
WITH reach AS (
    SELECT i.symbol,
           i.session,
           i.price_segment,
           i.sma_200,
           p.high * p.cumulative_split_factor   AS adj_high,
           p.low * p.cumulative_split_factor    AS adj_low,
           p.volume / p.cumulative_split_factor AS adj_volume,
           l.first_bar,
           l.bar_count,
           -- A bar speaks for its session and for at most four without a bar.
           COALESCE(i.session >= session_ago(66), TRUE) AS is_wanted,
           i.stage = 2                                  AS advances
    -- Its last 252 bars: the pattern looks back on 120.
    FROM   latest_bars l
    JOIN   indicators i   ON i.symbol = l.symbol AND i.session >= COALESCE(l.year_start, l.first_bar)
    JOIN   daily_prices p ON p.symbol = i.symbol AND p.session = i.session
),
looked_back AS (
    SELECT symbol,
           session,
           first_bar,
           is_wanted,
           bar_count + 1 - ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY session DESC) AS bar_count,
           next_day(session) OVER (PARTITION BY symbol ORDER BY session) AS next_session,
           roc(sma_200, 21) OVER bars AS sma_200_change,
           rolling_max(adj_high, 252) OVER bars AS high_252,
           get_field(vcp(adj_high, adj_low, adj_volume, is_wanted AND advances) OVER bars, 'pivot') AS vcp_pivot
    FROM   reach
    WINDOW bars AS (PARTITION BY symbol, price_segment ORDER BY session)
),
past_days AS (
    SELECT unnest(array_prepend(b.session, sessions_held(b.session, b.next_session, 4))) AS day,
           b.first_bar,
           b.bar_count,
           b.sma_200_change,
           b.high_252,
           b.vcp_pivot,
           i.*
    FROM   looked_back b
    JOIN   indicators i ON i.symbol = b.symbol AND i.session = b.session
    WHERE  b.is_wanted AND COALESCE(i.session >= session_ago(66), TRUE)
),
bars AS (
    -- The newest day has the rows that `scans` is made of, so that the two agree to the last bit.
    SELECT as_of() AS day, symbol, price_segment, adj_close, change_pct, sma_50, sma_150, sma_200, sma_200_change, wk52_high, wk52_low,
           high_252, rvol_20, roc_63, roc_126, roc_252, stage, vcp_pivot, first_bar, bar_count
    FROM   latest_bars
    WHERE  COALESCE(session >= session_ago(4), TRUE)
    UNION  ALL
    SELECT day, symbol, price_segment, adj_close, change_pct, sma_50, sma_150, sma_200, sma_200_change, wk52_high, wk52_low,
           high_252, rvol_20, roc_63, roc_126, roc_252, stage, vcp_pivot, first_bar, bar_count
    FROM   past_days
    WHERE  day < as_of() AND COALESCE(day >= session_ago(62), TRUE)
),
flags AS (
    SELECT *,
           TRUE                                        AS is_eligible,
           adj_close / wk52_high                       AS nearness,
           -- More than 5 % above the pivot a stock has left its base.
           CASE WHEN stage IS NOT NULL THEN vcp_pivot IS NOT NULL AND adj_close - 1.05 * vcp_pivot <= 1e-12 * adj_close END AS vcp,
           CASE WHEN first_bar > (SELECT MIN(session) FROM sessions) THEN first_bar END AS listed_session,
           adj_close - sma_150 > 1e-12 * sma_150 AND adj_close - sma_200 > 1e-12 * sma_200 AS above_sma_150_200,
           sma_150 - sma_200 > 1e-12 * sma_200         AS sma_150_above_200,
           sma_200_change > 1e-10                      AS sma_200_rising,
           sma_50 - sma_150 > 1e-12 * sma_150 AND sma_50 - sma_200 > 1e-12 * sma_200 AS sma_50_above_150_200,
           adj_close - sma_50 > 1e-12 * sma_50         AS above_sma_50,
           1.30 * wk52_low - adj_close <= 1e-12 * adj_close AS above_low_30,
           0.75 * wk52_high - adj_close <= 1e-12 * adj_close AS near_high_25
    FROM   bars
),
places AS (
    SELECT *,
           percentile(roc_63)    OVER peers            AS roc_63_pct,
           percentile(roc_126)   OVER peers            AS roc_126_pct,
           percentile(roc_252)   OVER peers            AS roc_252_pct
    FROM   flags
    WINDOW peers AS (PARTITION BY day, is_eligible)
),
counts AS (
    SELECT *,
           CAST(above_sma_150_200 AS INT) + CAST(sma_150_above_200 AS INT) + CAST(sma_200_rising AS INT)
               + CAST(sma_50_above_150_200 AS INT) + CAST(above_sma_50 AS INT) + CAST(above_low_30 AS INT)
               + CAST(near_high_25 AS INT) AS count_without_rs
    FROM   places
),
readiness AS (
    SELECT *,
           CASE
               WHEN is_eligible THEN
                   25.0 * count_without_rs / 7
                   + 25.0 * (roc_63_pct + roc_126_pct + roc_252_pct) / 300
                   + 20.0 * CASE WHEN nearness <= 0.75 THEN 0.0 ELSE (nearness - 0.75) / 0.25 END
                   + CASE WHEN stage = 2 THEN 20.0 WHEN stage IS NOT NULL THEN 0.0 END
                   + CASE WHEN vcp OR 1.5 - rvol_20 <= 1e-12 * rvol_20 THEN 10.0 WHEN vcp IS NOT NULL AND rvol_20 IS NOT NULL THEN 0.0 END
           END AS brs
    FROM   counts
),
scans AS (
    SELECT *,
           is_eligible AND 0.95 * wk52_high - adj_close <= 1e-12 * adj_close AS in_near_high,
           is_eligible AND stage = 2 AND above_sma_150_200 AND sma_150_above_200 AND sma_200_rising
               AND sma_50_above_150_200 AND above_sma_50 AS in_stage2,
           is_eligible AND change_pct > 1e-10 AND 1.5 - rvol_20 <= 1e-12 * rvol_20 AND above_sma_50 AS in_high_vol,
           is_eligible AND 2 - rvol_20 <= 1e-12 * rvol_20 AS in_volume,
           is_eligible AND vcp                           AS in_vcp,
           CASE
               WHEN NOT is_eligible OR listed_session IS NULL OR bar_count > 252 THEN FALSE
               WHEN price_segment = 0 THEN 0.85 * high_252 - adj_close <= 1e-12 * adj_close
           END AS in_ipo,
           is_eligible AND 70 - brs <= 1e-12 * brs AS in_brs
    FROM   readiness
),
joint AS (
    SELECT *,
           in_stage2 AND in_near_high                 AS in_stage2_near_high,
           in_stage2 AND in_near_high AND in_high_vol AS in_all_three,
           in_stage2 OR in_near_high OR in_high_vol OR in_vcp OR in_brs AS in_any
    FROM   scans
),
members AS (
    SELECT day,
           symbol,
           unnest(make_array(
               CASE WHEN in_stage2 THEN 'stage2' END,
               CASE WHEN in_near_high THEN 'nearHigh' END,
               CASE WHEN in_high_vol THEN 'highVol' END,
               CASE WHEN in_vcp THEN 'vcp' END,
               CASE WHEN in_brs THEN 'brs' END,
               CASE WHEN in_volume THEN 'volume' END,
               CASE WHEN in_ipo THEN 'ipo' END,
               CASE WHEN in_stage2_near_high THEN 'stage2NearHigh' END,
               CASE WHEN in_all_three THEN 'allThree' END,
               CASE WHEN in_any THEN 'all' END
           )) AS scan
    FROM   joint
),
days AS (
    SELECT session AS day, ROW_NUMBER() OVER (ORDER BY session) AS number FROM sessions
),
runs AS (
    SELECT m.symbol,
           m.scan,
           d.number,
           d.number - ROW_NUMBER() OVER (PARTITION BY m.symbol, m.scan ORDER BY d.number) AS run
    FROM   members m
    JOIN   days d ON d.day = m.day
    WHERE  m.scan IS NOT NULL
),
spells AS (
    SELECT symbol,
           scan,
           MIN(number)     AS first_number,
           MAX(number) + 1 AS next_number,
           COUNT(*)        AS days_in_scan
    FROM   runs
    GROUP  BY symbol, scan, run
)
SELECT s.symbol,
       s.scan AS scan_name,
       f.day AS entered_on,
       n.day AS left_on,
       s.days_in_scan
FROM   spells s
JOIN   days f ON f.number = s.first_number
LEFT   JOIN days n ON n.number = s.next_number
ORDER  BY s.symbol, s.scan, f.day
