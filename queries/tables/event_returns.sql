-- Event returns: what followed when stocks entered a state: returns after 5, 21 and 63 bars, beside those of all stocks over the same days.
--
-- A state is a scan of `scans`, or rs90 (an RS rating of 90 or more), newHigh (a high that is the 52-week high), aboveEmas (the close above
-- ema_10 and ema_21, the averages of ABOVE_BOTH) or aboveSmas (above sma_50 and sma_200, those of BULL_CONFIRMED). A stock enters a state
-- at a bar at which the state holds, if it did not hold at the bar before; so each run of bars in a state counts once. The state is known
-- at the close, from which the return counts. Entries are those of the last 504 sessions, of stocks that are tradable on the day and had
-- 253 bars in their price segment at the bar before. All such stocks with a bar on the day are the base, with their own returns from the
-- same close. The closes are adjusted for splits and bonuses. A stock whose last bar is more than 63 sessions old has ceased to trade: a
-- window that goes beyond that bar ends with its close. Any other window beyond the last bar, or across the end of a price segment, has no
-- return. The interval of the median has the order statistics of rank r and n + 1 - r, r = floor((n + 1 - 1.96 sqrt(n)) / 2), as in
-- Campbell and Gardner, Calculating confidence intervals for some non-parametric analyses, BMJ 296 (1988). It assumes independent entries;
-- entries of the same days are not, so that it is too narrow.
--
-- key:     event, horizon
-- sorted:  event, horizon
-- formula: event returns 1
-- column: event                     text  "State that stocks entered: stage2, nearHigh, highVol, volume, vcp, stage2NearHigh, allThree, rs90, newHigh, aboveEmas or aboveSmas."
-- column: horizon                   int count "Bars of the stock from the close of the day of entry to the close that ends the window: 5, 21 or 63."
-- column: entry_count               int count "Entries."
-- column: entry_days                int count "Sessions that have an entry with a return."
-- column: complete_count            int count "Entries with a return."
-- column: incomplete_count          int count "Entries without a return: the window is not over yet, or the price segment ends in it."
-- column: ceased_count              int count "Entries with a return whose stock ceased to trade within the window."
-- column: lower_quartile_return_pct number? pct "Lower quartile of the returns."
-- column: median_return_pct         number? pct "Median of the returns."
-- column: upper_quartile_return_pct number? pct "Upper quartile of the returns."
-- column: median_return_low_pct     number? pct "Lower end of the 95 % interval of the median; null for fewer than 6 returns."
-- column: median_return_high_pct    number? pct "Upper end of the 95 % interval of the median; null for fewer than 6 returns."
-- column: positive_pct              number? pct "Share of the returns that are above 0."
-- column: base_median_return_pct    number? pct "Median over the entries of the median return of the base on the day of entry."
-- column: base_positive_pct         number? pct "Mean over the entries of the base's share of returns above 0 on the day of entry."
-- column: beat_pct                  number? pct "Share of the returns that are above the median of the base on the day of entry."
-- column: first_entry               date? "Session of the first entry."
-- column: last_entry                date? "Session of the last entry."
WITH rated AS (
    -- The small side first in each join, so that it is the one held in memory.
    SELECT i.*, r.symbol IS NOT NULL AS is_rs_90
    FROM   (SELECT symbol, session FROM rs_ratings WHERE rs_rating >= 90) r
    RIGHT  JOIN indicators i ON i.symbol = r.symbol AND i.session = r.session
    -- The bar before an entry may be 60 sessions older than it, and a contraction pattern at that bar looks back on 120 bars.
    WHERE  COALESCE(i.session >= session_ago(700), TRUE)
),
priced AS (
    SELECT i.*,
           p.high * p.cumulative_split_factor   AS adj_high,
           p.low * p.cumulative_split_factor    AS adj_low,
           p.volume / p.cumulative_split_factor AS adj_volume
    FROM   daily_prices p
    JOIN   rated i ON i.symbol = p.symbol AND i.session = p.session
),
bars AS (
    SELECT i.symbol,
           i.session,
           i.price_segment,
           i.adj_close,
           i.adj_high,
           i.adj_low,
           i.adj_volume,
           i.sma_200,
           i.roc_252,
           i.is_new_high,
           i.is_rs_90,
           COALESCE(i.is_liquid, FALSE)         AS is_liquid,
           COALESCE(i.stage = 2, FALSE)         AS advances,
           COALESCE(i.session >= session_ago(564), TRUE) AS is_wanted,
           CASE
               WHEN l.session < session_ago(63) AND l.price_segment = i.price_segment
                   THEN l.adj_close * l.cumulative_split_factor_now
           END AS final_close,
           0.95 * i.wk52_high - i.adj_close <= 1e-12 * i.adj_close AS in_near_high,
           2 - i.rvol_20 <= 1e-12 * i.rvol_20                      AS in_volume,
           i.adj_close - i.sma_50 > 1e-12 * i.sma_50               AS above_sma_50,
           i.adj_close - i.sma_200 > 1e-12 * i.sma_200             AS above_sma_200,
           i.adj_close - i.sma_150 > 1e-12 * i.sma_150 AND i.sma_150 - i.sma_200 > 1e-12 * i.sma_200
               AND i.sma_50 - i.sma_150 > 1e-12 * i.sma_150 AND i.sma_50 - i.sma_200 > 1e-12 * i.sma_200 AS is_stacked,
           i.change_pct > 1e-10 AND 1.5 - i.rvol_20 <= 1e-12 * i.rvol_20 AS rises_on_volume,
           i.adj_close - i.ema_10 > 1e-12 * i.ema_10 AND i.adj_close - i.ema_21 > 1e-12 * i.ema_21 AS above_emas
    FROM   latest_bars l
    JOIN   priced i ON i.symbol = l.symbol
),
figures AS (
    SELECT *,
           ago(roc_252, 1) OVER bars IS NOT NULL AS is_known,
           roc(sma_200, 21) OVER bars            AS sma_200_change,
           get_field(vcp(adj_high, adj_low, adj_volume, advances AND is_wanted) OVER bars, 'pivot') AS vcp_pivot,
           LEAD(adj_close, 5)  OVER bars         AS close_5,
           LEAD(adj_close, 21) OVER bars         AS close_21,
           LEAD(adj_close, 63) OVER bars         AS close_63
    FROM   bars
    WINDOW bars AS (PARTITION BY symbol, price_segment ORDER BY session)
),
scans AS (
    SELECT *,
           advances AND is_stacked AND above_sma_200 AND above_sma_50 AND sma_200_change > 1e-10 AS in_stage2,
           rises_on_volume AND above_sma_50                                                      AS in_high_vol,
           vcp_pivot IS NOT NULL AND adj_close - 1.05 * vcp_pivot <= 1e-12 * adj_close           AS in_vcp
    FROM   figures
),
-- The states of a bar as one number, a bit for each.
held AS (
    SELECT symbol,
           session,
           price_segment,
           is_liquid AND is_known AS counts,
           100 * (COALESCE(close_5, final_close) / adj_close - 1)  AS return_5,
           100 * (COALESCE(close_21, final_close) / adj_close - 1) AS return_21,
           100 * (COALESCE(close_63, final_close) / adj_close - 1) AS return_63,
           CASE WHEN close_5 IS NULL THEN 0 WHEN close_21 IS NULL THEN 5 WHEN close_63 IS NULL THEN 21 ELSE 63 END AS bars_after,
           CASE WHEN in_stage2                                   THEN 1    ELSE 0 END
               + CASE WHEN in_near_high                          THEN 2    ELSE 0 END
               + CASE WHEN in_high_vol                           THEN 4    ELSE 0 END
               + CASE WHEN in_volume                             THEN 8    ELSE 0 END
               + CASE WHEN in_vcp                                THEN 16   ELSE 0 END
               + CASE WHEN in_stage2 AND in_near_high            THEN 32   ELSE 0 END
               + CASE WHEN in_stage2 AND in_near_high AND in_high_vol THEN 64 ELSE 0 END
               + CASE WHEN is_rs_90                              THEN 128  ELSE 0 END
               + CASE WHEN is_new_high                           THEN 256  ELSE 0 END
               + CASE WHEN above_emas                            THEN 512  ELSE 0 END
               + CASE WHEN above_sma_50 AND above_sma_200        THEN 1024 ELSE 0 END AS states
    FROM   scans
),
entered AS (
    SELECT *, states - (states & CAST(COALESCE(ago(states, 1) OVER bars, 0) AS BIGINT)) AS entered
    FROM   held
    WINDOW bars AS (PARTITION BY symbol, price_segment ORDER BY session)
),
days AS (
    SELECT session,
           median(return_5)  AS base_5,
           median(return_21) AS base_21,
           median(return_63) AS base_63,
           100 * AVG(CAST(return_5 > 0 AS INT))  AS base_positive_5,
           100 * AVG(CAST(return_21 > 0 AS INT)) AS base_positive_21,
           100 * AVG(CAST(return_63 > 0 AS INT)) AS base_positive_63,
           array_agg(entered ORDER BY symbol)    FILTER (WHERE entered > 0) AS states,
           array_agg(bars_after ORDER BY symbol) FILTER (WHERE entered > 0) AS bars_after,
           array_agg(return_5 ORDER BY symbol)   FILTER (WHERE entered > 0) AS return_5,
           array_agg(return_21 ORDER BY symbol)  FILTER (WHERE entered > 0) AS return_21,
           array_agg(return_63 ORDER BY symbol)  FILTER (WHERE entered > 0) AS return_63
    FROM   entered
    WHERE  counts AND COALESCE(session >= session_ago(503), TRUE)
    GROUP  BY session
),
entries AS (
    SELECT session,
           base_5,
           base_21,
           base_63,
           base_positive_5,
           base_positive_21,
           base_positive_63,
           unnest(states)     AS states,
           unnest(bars_after) AS bars_after,
           unnest(return_5)   AS return_5,
           unnest(return_21)  AS return_21,
           unnest(return_63)  AS return_63
    FROM   days
),
named_events AS (
    SELECT *,
           unnest(make_array(
               CASE WHEN states & 1 > 0    THEN 'stage2' END,
               CASE WHEN states & 2 > 0    THEN 'nearHigh' END,
               CASE WHEN states & 4 > 0    THEN 'highVol' END,
               CASE WHEN states & 8 > 0    THEN 'volume' END,
               CASE WHEN states & 16 > 0   THEN 'vcp' END,
               CASE WHEN states & 32 > 0   THEN 'stage2NearHigh' END,
               CASE WHEN states & 64 > 0   THEN 'allThree' END,
               CASE WHEN states & 128 > 0  THEN 'rs90' END,
               CASE WHEN states & 256 > 0  THEN 'newHigh' END,
               CASE WHEN states & 512 > 0  THEN 'aboveEmas' END,
               CASE WHEN states & 1024 > 0 THEN 'aboveSmas' END
           )) AS event
    FROM   entries
),
windows AS (
    SELECT *, unnest(make_array(5, 21, 63)) AS horizon FROM named_events WHERE event IS NOT NULL
),
returns AS (
    SELECT event,
           horizon,
           session,
           bars_after < horizon AS is_short,
           CASE horizon WHEN 5 THEN return_5 WHEN 21 THEN return_21 ELSE return_63 END AS return_pct,
           CASE horizon WHEN 5 THEN base_5 WHEN 21 THEN base_21 ELSE base_63 END AS base_pct,
           CASE horizon WHEN 5 THEN base_positive_5 WHEN 21 THEN base_positive_21 ELSE base_positive_63 END AS base_positive_pct
    FROM   windows
),
ranked AS (
    SELECT *,
           CAST(ROW_NUMBER() OVER (PARTITION BY event, horizon ORDER BY return_pct) AS DOUBLE) AS place,
           CAST(COUNT(return_pct) OVER (PARTITION BY event, horizon) AS DOUBLE)                AS returned
    FROM   returns
),
placed AS (
    SELECT *, floor((returned + 1 - 1.959964 * sqrt(returned)) / 2) AS low_place FROM ranked
)
SELECT event,
       horizon,
       COUNT(*)                                                          AS entry_count,
       COUNT(DISTINCT CASE WHEN return_pct IS NOT NULL THEN session END) AS entry_days,
       COUNT(return_pct)                                                 AS complete_count,
       COUNT(*) - COUNT(return_pct)                                      AS incomplete_count,
       COUNT(return_pct) FILTER (WHERE is_short)                         AS ceased_count,
       percentile_cont(0.25) WITHIN GROUP (ORDER BY return_pct)          AS lower_quartile_return_pct,
       median(return_pct)                                                AS median_return_pct,
       percentile_cont(0.75) WITHIN GROUP (ORDER BY return_pct)          AS upper_quartile_return_pct,
       MAX(CASE WHEN place = low_place THEN return_pct END)              AS median_return_low_pct,
       MAX(CASE WHEN low_place >= 1 AND place = returned + 1 - low_place THEN return_pct END) AS median_return_high_pct,
       100 * AVG(CAST(return_pct > 0 AS INT))                            AS positive_pct,
       median(CASE WHEN return_pct IS NOT NULL THEN base_pct END)        AS base_median_return_pct,
       AVG(CASE WHEN return_pct IS NOT NULL THEN base_positive_pct END)  AS base_positive_pct,
       100 * AVG(CAST(return_pct > base_pct AS INT))                     AS beat_pct,
       MIN(session)                                                      AS first_entry,
       MAX(session)                                                      AS last_entry
FROM   placed
GROUP  BY event, horizon
ORDER  BY event, horizon
