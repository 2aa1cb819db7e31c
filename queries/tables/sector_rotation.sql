-- Sector rotation: the position of every sector against the benchmark, session by session.
--
-- An approximation of relative rotation. Weeks are ISO weeks; a week is represented by its last session, the current week by the session of
-- the row. RS = 100 times sector index over benchmark, under an EMA of 10 sessions; rs_ratio = 100 + its standard score among 14 weeks,
-- under an EMA of 10 sessions again; rs_momentum = 100 + the standard score among 14 weeks of the ratio's change over a week, which too is
-- under an EMA of 10 sessions. With the averages a sector keeps its quadrant for three weeks in the median; without them it would run
-- through all quadrants within a week. A sector needs about 32 weeks of history.
--
-- key:     session, sector
-- sorted:  session, sector
-- of-day: is_week_end
-- schedule: 30 12 * * 1-5 india
-- schedule: 0 18 * * 1-5 us
-- stale-after-hours: 78
-- formula: relative rotation 2
-- column: session     date
-- column: sector      text
-- column: week_start  date          "Monday of the week."
-- column: is_week_end bool          "Whether it is the last session of its week, so far."
-- column: rs_ratio    number? ratio "Relative strength against its own 14 weeks: above 100 it is strong."
-- column: rs_momentum number? ratio "Momentum of that ratio against its own 14 weeks: above 100 it gains."
-- column: quadrant    text?         "Leading: both above 100; Weakening: the ratio alone; Improving: the momentum alone; otherwise Lagging."
-- column: index_level number price
-- column: benchmark   text?
-- column: weights_assumed bool
WITH lines AS (
    SELECT i.sector,
           i.session,
           i.index_level,
           b.benchmark,
           -- The scores look back on 28 weeks, and the averages below them on some more.
           COALESCE(MAX(CASE WHEN i.weights_assumed OR b.benchmark_assumed THEN i.session END)
               OVER (PARTITION BY i.sector ORDER BY i.session) > i.session - 252, FALSE) AS weights_assumed,
           ema(100 * i.index_level / b.benchmark_close, 10) OVER known AS rs,
           (CAST(i.session AS INT) + 3) / 7        AS week
    FROM   sector_indices i
    LEFT   JOIN benchmark b ON b.session = i.session
    -- A session without a benchmark has no RS, and the average goes on after it.
    WINDOW known AS (PARTITION BY i.sector, b.benchmark_close IS NULL ORDER BY i.session)
),
standing AS (
    SELECT *, 100 + week_zscore(rs, week, 14) OVER (PARTITION BY sector ORDER BY session) AS standing
    FROM   lines
),
ratios AS (
    SELECT *, ema(standing, 10) OVER (PARTITION BY sector, standing IS NULL ORDER BY session) AS ratio
    FROM   standing
),
changes AS (
    SELECT *, week_roc(ratio, week, 1) OVER (PARTITION BY sector ORDER BY session) AS ratio_change
    FROM   ratios
),
smoothed AS (
    SELECT *, ema(ratio_change, 10) OVER (PARTITION BY sector, ratio_change IS NULL ORDER BY session) AS change_average
    FROM   changes
),
scores AS (
    SELECT *,
           100 + week_zscore(change_average, week, 14) OVER (PARTITION BY sector ORDER BY session) AS rs_momentum,
           LEAD(week) OVER (PARTITION BY sector ORDER BY session)                                AS next_week
    FROM   smoothed
)
SELECT session,
       sector,
       CAST(CAST(7 * week - 3 AS INT) AS DATE)      AS week_start,
       next_week IS NULL OR next_week <> week       AS is_week_end,
       CASE WHEN rs_momentum IS NOT NULL THEN ratio END AS rs_ratio,
       rs_momentum,
       CASE
           WHEN rs_momentum IS NULL              THEN NULL
           WHEN ratio > 100 AND rs_momentum > 100 THEN 'Leading'
           WHEN ratio > 100                      THEN 'Weakening'
           WHEN rs_momentum > 100                THEN 'Improving'
           ELSE 'Lagging'
       END AS quadrant,
       index_level,
       benchmark,
       weights_assumed
FROM   scores
ORDER  BY session, sector
