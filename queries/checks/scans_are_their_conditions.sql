-- A scan holds for a stock exactly when all its conditions and those of every scan hold.
--
-- A stock can be traded exactly when the conditions of `tradable` and of every scan hold.
--
-- severity: error
WITH held AS (
  SELECT symbol, scan, bool_and(passes) AS holds
  FROM   scan_conditions
  GROUP  BY symbol, scan
),
flags AS (
  SELECT symbol, 'stage2' AS scan, in_stage2 AS flag FROM scans
  UNION ALL SELECT symbol, 'nearHigh', in_near_high FROM scans
  UNION ALL SELECT symbol, 'highVol', in_high_vol FROM scans
  UNION ALL SELECT symbol, 'volume', in_volume FROM scans
  UNION ALL SELECT symbol, 'vcp', is_eligible AND vcp FROM scans
  UNION ALL SELECT symbol, 'brs', in_brs FROM scans
  UNION ALL SELECT symbol, 'ipo', in_ipo FROM scans
  UNION ALL SELECT symbol, 'tradable', is_tradable FROM stocks
)
SELECT f.symbol, f.scan, f.flag, h.holds, e.holds AS traded
FROM   flags f
JOIN   held h ON h.symbol = f.symbol AND h.scan = f.scan
JOIN   held e ON e.symbol = f.symbol AND e.scan = 'every'
WHERE  COALESCE(f.flag, FALSE) <> (h.holds AND e.holds)
ORDER  BY f.symbol, f.scan
