-- Results are announced after their quarter, and taken up on the first session from that day on.
--
-- severity: row
SELECT e.symbol, e.period_end, e.announced_on, e.day_0, e.days_since
FROM   earnings AS e
       LEFT JOIN sessions AS s ON s.session = e.day_0
WHERE  e.announced_on <= e.period_end
   OR  e.day_0 < e.announced_on
   OR  (e.day_0 IS NOT NULL AND s.session IS NULL)
   OR  e.days_since < 0
ORDER  BY e.symbol, e.period_end
