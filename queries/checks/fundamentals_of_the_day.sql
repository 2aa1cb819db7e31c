-- Fundamentals are of stocks, at their prices and market caps.
--
-- severity: error
SELECT f.symbol, f.price_cmp, s.price_cmp AS stock_price, f.market_cap, s.market_cap AS stock_market_cap
FROM   fundamentals AS f
       LEFT JOIN stocks AS s ON s.symbol = f.symbol
WHERE  s.symbol IS NULL
   OR  abs(f.price_cmp - s.price_cmp) > 1e-6 * s.price_cmp
   OR  abs(f.market_cap - s.market_cap) > 1e-6 * s.market_cap
ORDER  BY f.symbol
