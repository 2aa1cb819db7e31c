-- A stock has one price segment more than it has unexplained jumps and gaps.
--
-- severity: error
WITH counted AS (
  SELECT symbol, count(*) AS jumps
  FROM   price_jumps
  GROUP  BY symbol
)
SELECT b.symbol, b.price_segment, c.jumps
FROM   latest_bars AS b
       LEFT JOIN counted AS c ON c.symbol = b.symbol
WHERE  b.price_segment <> coalesce(c.jumps, 0)
ORDER  BY b.symbol
