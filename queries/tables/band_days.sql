-- Band days: the sessions for which the price bands are known, and the list that holds on each.
--
-- A session uses the newest list that began to hold at most a month before it; `circuits` uses the same list. The list that is published on
-- a session holds from the next day.
--
-- market:  india
-- key:     session
-- sorted:  session
-- formula: band days 1
-- column: session   date
-- column: band_date date
SELECT s.session, MAX(l.band_date) AS band_date
FROM   sessions s
JOIN   (SELECT DISTINCT band_date FROM price_bands) l ON l.band_date <= s.session AND s.session < l.band_date + INTERVAL '1 month'
GROUP  BY s.session
ORDER  BY s.session
