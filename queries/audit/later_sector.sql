-- A stock of the sector was given another sector by a list after the day: a stock has one sector for all its sessions, the newest.
--
-- kind:   assumed
-- tables: sector_growths, sector_indices, sector_rotation
WITH labels AS (
  SELECT p.sector AS sector_then, w.sector AS sector_now
  FROM   past.companies AS p
         FULL JOIN whole.companies AS w ON w.symbol = p.symbol
  WHERE  p.sector IS DISTINCT FROM w.sector
)
SELECT sector_then AS sector FROM labels WHERE sector_then IS NOT NULL
UNION
SELECT sector_now AS sector FROM labels WHERE sector_now IS NOT NULL
