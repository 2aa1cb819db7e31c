-- Industry stages: Weinstein's stage of every industry, by the rule of stocks on the industry's index.
--
-- In a market in which no company has an industry, sectors replace industries. An industry whose history is too short has no stage. In a broad correction, when industries have a stage and none of them is in stage 2,
-- all stages are 0 and `raw_stage` keeps the stage by the rule.
--
-- key:     industry
-- sorted:  industry
-- schedule: 30 12 * * 1-5 india
-- schedule: 0 18 * * 1-5 us
-- stale-after-hours: 78
-- formula: stage 2
-- column: industry      text
-- column: stage         int?
-- column: raw_stage     int?          "Stage by the rule alone; null if the rule gives none."
-- column: stage_reason  text?         "Why the stage is null or 0."
-- column: session       date?
-- column: index_level   number? price
-- column: index_sma_150 number? price "Mean of the index over its last 150 sessions."
-- column: index_slope   number? pct   "Change of that mean over 20 sessions."
-- column: grouped_by    text? in (industry, sector) "industry; or sector, if no company of the market has an industry."
-- column: stock_count   int count
-- column: weights_assumed bool?
WITH averages AS (
    SELECT industry,
           session,
           index_level,
           -- The mean and its change look back on 170 sessions.
           SUM(CAST(weights_assumed AS INT)) OVER (PARTITION BY industry ORDER BY session ROWS 169 PRECEDING) > 0 AS weights_assumed,
           sma(index_level, 150) OVER (PARTITION BY industry ORDER BY session) AS index_sma_150
    FROM   industry_indices
),
stages AS (
    SELECT industry,
           session,
           index_level,
           index_sma_150,
           weights_assumed,
           roc(index_sma_150, 20)            OVER sessions AS index_slope,
           stage(index_level)                OVER sessions AS raw_stage,
           ROW_NUMBER() OVER (PARTITION BY industry ORDER BY session DESC) AS age
    FROM   averages
    WINDOW sessions AS (PARTITION BY industry ORDER BY session)
),
named AS (
    SELECT session,
           CASE WHEN COUNT(industry) OVER () > 0 THEN industry ELSE sector END     AS industry,
           CASE WHEN COUNT(industry) OVER () > 0 THEN 'industry' ELSE 'sector' END AS grouped_by
    FROM   stocks
),
counts AS (
    SELECT industry, MAX(grouped_by) AS grouped_by, COUNT(*) FILTER (WHERE session >= session_ago(4)) AS stock_count
    FROM   named
    WHERE  industry IS NOT NULL
    GROUP  BY industry
),
market AS (
    SELECT COUNT(*) FILTER (WHERE raw_stage = 2) = 0 AND COUNT(raw_stage) > 0 AS is_correction FROM stages WHERE age = 1
)
SELECT c.industry,
       CASE WHEN m.is_correction THEN 0 ELSE s.raw_stage END AS stage,
       s.raw_stage,
       NULLIF(concat_ws(' ',
           CASE WHEN m.is_correction THEN 'Broad correction: no industry is in stage 2.' END,
           CASE
               WHEN s.index_slope IS NULL THEN 'The history is too short.'
               WHEN s.raw_stage IS NULL   THEN 'There was no clear trend yet.'
           END), '') AS stage_reason,
       s.session,
       s.index_level,
       s.index_sma_150,
       s.index_slope,
       c.grouped_by,
       c.stock_count,
       s.weights_assumed
FROM   counts c
CROSS  JOIN market m
LEFT   JOIN stages s ON s.industry = c.industry AND s.age = 1
ORDER  BY c.industry
