-- Chat: sectors now and at an earlier session: return since then, strength, quadrant and how it changed.
--
-- The quadrant is that of sector rotation: Leading, Weakening, Lagging or Improving against the benchmark. The return is that of the
-- sector's index, which weights its stocks by market capitalisation.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- coverage: rotation
-- param:  then date? "The earlier day; if omitted, one month before the last session." e.g. 2026-09-30
-- column: quadrant_then text? "Quadrant at the earlier session."
-- column: return_pct    number? pct "Change of the adjusted close over the period."
-- column: session_then  date  "The earlier session."
-- also:   us
SELECT s.sector,
       100 * (n.index_level / p.index_level - 1) AS return_pct,
       n.quadrant,
       p.quadrant AS quadrant_then,
       n.rs_ratio,
       n.rs_momentum,
       s.avg_rs_rating,
       s.elite_count,
       s.advances,
       s.declines,
       s.stock_count,
       COALESCE(p.session, session_on(COALESCE($then, CAST(as_of() - INTERVAL '1 month' AS DATE)))) AS session_then
FROM   sectors s
LEFT   JOIN sector_rotation n ON n.sector = s.sector AND n.session = as_of()
LEFT   JOIN sector_rotation p
       ON p.sector = s.sector AND p.session = session_on(COALESCE($then, CAST(as_of() - INTERVAL '1 month' AS DATE)))
ORDER  BY s.avg_rs_rating DESC NULLS LAST, s.sector
