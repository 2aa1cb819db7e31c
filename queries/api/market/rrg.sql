-- Sector rotation: the quadrant of every sector against the benchmark, with its path over the last weeks.
--
-- An approximation of relative rotation from weekly sector indices. A row is a sector in the week of the session that `as_of` names, up to
-- that session; `trail` holds the eight weeks before it, the newest first. A sector needs about 32 weeks of history for a quadrant.
-- `weights_assumed` says whether the sector or the benchmark in these weeks uses market caps or members that became known only later.
--
-- tool:   get_sector_rrg
-- tier:   api_pro
-- group:  Market Intel
-- answer: list
-- page:   rotation *
-- coverage: rotation
-- picture: rotation title="Sector rotation" x=rs_ratio:"Relative strength" y=rs_momentum:"Momentum" of=sector tail=session rows=trail
-- param:  as_of text? in (1m, YYYY-MM-DD) "`1m` for one month ago, a date YYYY-MM-DD, or left out for the last session." e.g. 1m
-- explore-param:  as_of text? in (1m, 3m, 6m, 1y, YYYY-MM-DD) "`1m`, `3m`, `6m` or `1y` for as long ago, a date YYYY-MM-DD, or left out for the last session." e.g. 3m
-- explore-param:  weeks int = 8 in 0..26 "Weeks in the tails." e.g. 4
-- column: trail rows? "Position in the weeks before, each at its last session, the newest first; null if there are none."
-- also: explore/rotation, us/explore/rotation
-- explore-title: Explorer: sector rotation, with tails as long as you choose
-- explore-prose: An operation of the explorer. An approximation of relative rotation from weekly sector indices. A row is a sector in the
-- explore-prose: week of the session that `as_of` names, up to that session; `trail` holds the weeks before it, the newest first. A sector
-- explore-prose: needs about 32 weeks of history for a quadrant.
-- explore-tool:   none
-- explore-group:  Explorer
WITH requested_session AS (
    SELECT CASE
               WHEN $as_of IS NULL THEN as_of()
               WHEN $as_of = '1m'  THEN session_on(CAST(as_of() - INTERVAL '1 month' AS DATE))
               WHEN $as_of = '3m'  THEN session_on(CAST(as_of() - INTERVAL '3 months' AS DATE))
               WHEN $as_of = '6m'  THEN session_on(CAST(as_of() - INTERVAL '6 months' AS DATE))
               WHEN $as_of = '1y'  THEN session_on(CAST(as_of() - INTERVAL '1 year' AS DATE))
               ELSE session_on(TRY_CAST($as_of AS DATE))
           END AS session
),
present AS (
    SELECT *
    FROM   sector_rotation
    WHERE  session = (SELECT session FROM requested_session)
),
trails AS (
    SELECT p.sector,
           array_agg(named_struct(
               'week_start',  r.week_start,
               'session',     r.session,
               'rs_ratio',    r.rs_ratio,
               'rs_momentum', r.rs_momentum,
               'quadrant',    r.quadrant
           ) ORDER BY r.week_start DESC) AS trail
    FROM   present p
    JOIN   sector_rotation r ON r.sector = p.sector AND r.is_week_end
    WHERE  r.session < (SELECT session FROM requested_session)
    AND    r.session >= (SELECT session FROM requested_session) - CASE WHEN $weeks IS NULL THEN 64 ELSE 7 + 7 * $weeks END
    AND    r.week_start < p.week_start
    AND    r.week_start >= p.week_start - 7 * COALESCE($weeks, 8)
    GROUP  BY p.sector
)
SELECT p.sector,
       p.week_start,
       p.session,
       p.quadrant,
       p.rs_ratio,
       p.rs_momentum,
       t.trail,
       p.index_level,
       p.benchmark,
       p.weights_assumed
FROM   present p
LEFT   JOIN trails t ON t.sector = p.sector
ORDER  BY p.sector
