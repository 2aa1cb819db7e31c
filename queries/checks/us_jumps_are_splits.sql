-- Where no price bands hold a stock, a price segment begins only after a gap of more than 60 sessions or at a jump near a split.
--
-- Near a split is within 3 % of 1/n or n, n from 2 to 100. Anything else is a crash or a rise, and no reason to begin one.
--
-- market:   us
-- severity: error
WITH starts AS (
  SELECT p.symbol, p.price_segment, min(p.session) AS session
  FROM   daily_prices AS p
  WHERE  p.price_segment > 0
  GROUP  BY p.symbol, p.price_segment
)
SELECT s.symbol, s.session, s.price_segment, j.previous_close, j.open, j.jump_ratio
FROM   starts AS s
       LEFT JOIN price_jumps AS j ON j.symbol = s.symbol AND j.session = s.session
WHERE  j.symbol IS NULL
   OR  j.sessions_apart <= 60
   AND (j.jump_ratio BETWEEN 0.55 AND 1.9
   OR  j.jump_ratio < 0.97 / 100 - 1e-9
   OR  j.jump_ratio > 1.03 * 100 + 1e-9
   OR  CASE WHEN j.jump_ratio > 1 THEN abs(j.jump_ratio / round(j.jump_ratio) - 1)
            ELSE abs(j.jump_ratio * round(1 / j.jump_ratio) - 1) END > 0.03 + 1e-9)
ORDER  BY s.symbol, s.session
