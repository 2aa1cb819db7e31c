-- A stock at its limit has a bar on that session which reached the limit.
--
-- market: india
-- severity: error
SELECT c.session, c.symbol, c.direction, c.limit_price, p.high, p.low, p.close
FROM   circuits AS c
       LEFT JOIN daily_prices AS p ON p.symbol = c.symbol AND p.session = c.session
WHERE  p.symbol IS NULL
   OR  (c.direction = 'upper' AND p.high < c.limit_price - 1e-6)
   OR  (c.direction = 'lower' AND p.low > c.limit_price + 1e-6)
   OR  (c.locked AND c.direction = 'upper' AND p.close < c.limit_price - 1e-6)
   OR  (c.locked AND c.direction = 'lower' AND p.close > c.limit_price + 1e-6)
ORDER  BY c.session, c.symbol
