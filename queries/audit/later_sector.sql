-- A stock of the sector was given another sector by a list after the day: a stock has one sector for all its sessions, the newest.
--
-- kind:   assumed
-- tables: sector_growths, sector_indices, sector_rotation
SELECT w.sector
FROM   whole.companies AS w
       LEFT JOIN past.companies AS p ON p.symbol = w.symbol
WHERE  w.sector <> coalesce(p.sector, '')
UNION
SELECT p.sector
FROM   past.companies AS p
       LEFT JOIN whole.companies AS w ON w.symbol = p.symbol
WHERE  p.sector <> coalesce(w.sector, '')
