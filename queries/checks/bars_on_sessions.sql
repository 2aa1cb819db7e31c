-- Every bar lies on a trading session.
--
-- severity: error
SELECT p.session, count(*) AS bars
FROM   daily_prices AS p
       LEFT ANTI JOIN sessions AS s ON s.session = p.session
GROUP  BY p.session
ORDER  BY p.session
