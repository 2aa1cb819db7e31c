-- Sector rotation: the quadrant of every sector against the benchmark, with its way there over the last weeks.
--
-- An approximation of relative rotation from weekly sector indices. A row is a sector in a week, `weeks_ago` 0 being the
-- week of the session asked for, up to that session, and eight weeks before it. Without 28 weeks there is no quadrant.
--
-- tool:   get_sector_rrg
-- tier:   api_pro
-- group:  Market Intel
-- answer: list
-- param:  as_of text? in (1m, YYYY-MM-DD) "`1m` for one month ago, a date YYYY-MM-DD, or left out for the last session." e.g. 1m
-- column: weeks_ago int count "Weeks before the session asked for; 0 is the present position."
WITH asked AS (
    SELECT CASE
               WHEN $as_of IS NULL THEN as_of()
               WHEN $as_of = '1m'  THEN session_on(CAST(as_of() - INTERVAL '1 month' AS DATE))
               ELSE session_on(TRY_CAST($as_of AS DATE))
           END AS session
),
present AS (
    SELECT r.session, MAX(r.week_start) AS week_start
    FROM   sector_rotation r
    JOIN   asked a ON a.session = r.session
    GROUP  BY r.session
)
SELECT r.sector,
       CAST((CAST(p.week_start AS INT) - CAST(r.week_start AS INT)) / 7 AS BIGINT) AS weeks_ago,
       r.session,
       r.quadrant,
       r.rs_ratio,
       r.rs_momentum,
       r.index_level,
       r.benchmark
FROM   sector_rotation r
JOIN   present p ON r.session = p.session
              OR (r.is_week_end AND r.week_start < p.week_start AND r.week_start >= p.week_start - INTERVAL '56 days')
ORDER  BY r.sector, r.session DESC
