-- Scans: trend template, contraction pattern, readiness, scans and their score for the last bar of each stock.
--
-- A flag with a missing input is null, and so is a count over such a flag. Scans and scores are for stocks with a bar in the
-- last five sessions; percentiles are taken among these. A difference in the last digit of the arithmetic counts as none.
--
-- key:     symbol
-- sorted:  symbol
-- schedule: 30 12 * * 1-5 india
-- schedule: 0 18 * * 1-5 us
-- stale-after-hours: 78
-- formula: scans 3
-- column: symbol               text
-- column: session              date
-- column: is_eligible          bool       "Whether the stock has a bar in the last five sessions."
-- column: above_sma_150_200    bool?      "Close above its 150-day and 200-day averages."
-- column: sma_150_above_200    bool?      "150-day average above the 200-day average."
-- column: sma_200_rising       bool?      "200-day average higher than 21 sessions ago."
-- column: sma_50_above_150_200 bool?      "50-day average above the 150-day and 200-day averages."
-- column: above_sma_50         bool?      "Close above its 50-day average."
-- column: above_low_30         bool?      "Close at least 30 % above the 52-week low."
-- column: near_high_25         bool?      "Close at most 25 % below the 52-week high."
-- column: rs_70                bool?      "Relative-strength rating of 70 or more."
-- column: template_count       int? count "How many of the eight conditions of Minervini's trend template hold: the columns from above_sma_150_200 to rs_70."
-- column: trend_template       bool?      "Whether all eight hold."
-- column: vcp                  bool?      "Whether the stock is in stage 2 and shows a volatility contraction pattern, with the price at most 5 % above the pivot."
-- column: vcp_contractions     int? count
-- column: vcp_depths           text?
-- column: vcp_last_depth       number? pct
-- column: vcp_pivot            number? price
-- column: vcp_pivot_distance   number? pct "Distance of the price from the pivot, negative below it."
-- column: rs_line              number? factor
-- column: rs_line_high         number? factor
-- column: rs_line_new_high     bool?
-- column: benchmark            text?
-- column: listed_session       date?      "First bar of a stock listed since the files begin."
-- column: brs                  number? score "Breakout readiness: 25 for the template, 25 for momentum, 20 for nearness to the high, 20 for stage 2, 10 for a contraction pattern or high volume."
-- column: in_near_high         bool? "Scan nearHigh: the price is at most 5 % below the 52-week high."
-- column: in_stage2            bool? "Scan stage2: stage 2 and the first five conditions of the template."
-- column: in_high_vol          bool? "Scan highVol: an up day at 1.5 times the usual volume, above sma_50."
-- column: in_volume            bool? "Scan volume: twice the usual volume."
-- column: in_ipo               bool? "Scan ipo: listed at most 252 bars ago and at most 15 % below the high since."
-- column: in_brs               bool? "Scan brs: a breakout readiness of 70 or more."
-- column: in_stage2_near_high  bool? "Scans stage2 and nearHigh together."
-- column: in_all_three         bool? "Scans stage2, nearHigh and highVol together."
-- column: in_any               bool? "Any of the scans stage2, nearHigh, highVol, vcp and brs."
-- column: scan_count           int? count "Conviction: how many of the scans stage2, nearHigh, highVol, vcp and brs hold, 0 to 5."
-- column: score                number? score "Mean of the percentiles of rating, nearness to the high and relative volume among all stocks."
-- column: ipo_score            number? score "The score for scan ipo: the mean of the last two percentiles for a stock without a rating, such as a listing of this year."
-- column: effective_score      number? score us "Score, with 10 more for a contraction pattern, at most 100."
WITH bars AS (
    SELECT b.*,
           s.rs_rating,
           r.rs_line,
           r.rs_line_high,
           r.rs_line_new_high,
           m.benchmark,
           as_of() AS day
    FROM   latest_bars b
    LEFT   JOIN stocks s ON s.symbol = b.symbol
    LEFT   JOIN rs_lines r ON r.symbol = b.symbol
    LEFT   JOIN benchmark m ON m.session = b.session
),
flags AS (
    SELECT *,
           COALESCE(session >= session_ago(4), TRUE)   AS is_eligible,
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
           percentile(rs_rating) OVER peers            AS rating_pct,
           percentile(nearness)  OVER peers            AS nearness_pct,
           percentile(rvol_20)   OVER peers            AS rvol_pct,
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
scores AS (
    SELECT *,
           CASE WHEN is_eligible THEN (rating_pct + nearness_pct + rvol_pct) / 3 END AS score,
           CASE
               WHEN is_eligible AND rating_pct IS NULL THEN (nearness_pct + rvol_pct) / 2
               WHEN is_eligible THEN (rating_pct + nearness_pct + rvol_pct) / 3
           END AS ipo_score
    FROM   joint
)
SELECT symbol,
       session,
       is_eligible,
       above_sma_150_200,
       sma_150_above_200,
       sma_200_rising,
       sma_50_above_150_200,
       above_sma_50,
       above_low_30,
       near_high_25,
       rs_rating >= 70 AS rs_70,
       CAST(count_without_rs + CAST(rs_rating >= 70 AS INT) AS BIGINT) AS template_count,
       count_without_rs + CAST(rs_rating >= 70 AS INT) = 8             AS trend_template,
       vcp,
       vcp_contractions,
       vcp_depths,
       vcp_last_depth,
       vcp_pivot,
       100 * (adj_close / vcp_pivot - 1) AS vcp_pivot_distance,
       rs_line,
       rs_line_high,
       rs_line_new_high,
       benchmark,
       listed_session,
       brs,
       in_near_high,
       in_stage2,
       in_high_vol,
       in_volume,
       in_ipo,
       in_brs,
       in_stage2_near_high,
       in_all_three,
       in_any,
       CAST(CAST(in_stage2 AS INT) + CAST(in_near_high AS INT) + CAST(in_high_vol AS INT)
           + CAST(in_vcp AS INT) + CAST(in_brs AS INT) AS BIGINT) AS scan_count,
       score,
       ipo_score,
       CASE WHEN vcp AND score > 90 THEN 100.0 WHEN vcp THEN score + 10 ELSE score END AS effective_score
FROM   scores
ORDER  BY symbol
