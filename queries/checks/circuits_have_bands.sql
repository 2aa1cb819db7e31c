-- A stock at its limit is there only on a session for which the price bands are known.
--
-- market: india
-- severity: error
SELECT c.session, c.symbol, c.direction, c.band_pct
FROM   circuits AS c
       LEFT JOIN band_days AS d ON d.session = c.session
WHERE  d.session IS NULL
ORDER  BY c.session, c.symbol
