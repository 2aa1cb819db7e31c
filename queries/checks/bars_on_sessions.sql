-- Every bar lies on a trading session.
--
-- severity: error
WITH bars AS (
  SELECT session, count(*) AS bars
  FROM   daily_prices
  GROUP  BY session
)
SELECT b.session, b.bars
FROM   bars AS b
       LEFT ANTI JOIN sessions AS s ON s.session = b.session
ORDER  BY b.session
