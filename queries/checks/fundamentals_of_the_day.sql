-- Multiples are those of the stock's market cap, and none is made of losses.
--
-- severity: error
SELECT f.symbol, f.price_cmp, s.price_cmp AS stock_price, f.market_cap, s.market_cap AS stock_market_cap, f.pat_ttm, f.pe
FROM   fundamentals AS f
       LEFT JOIN stocks AS s ON s.symbol = f.symbol
WHERE  s.symbol IS NULL
   OR  abs(f.price_cmp - s.price_cmp) > 1e-6 * s.price_cmp
   OR  abs(f.market_cap - s.market_cap) > 1e-6 * s.market_cap
   OR  (f.pat_ttm <= 0 AND f.pe IS NOT NULL)
   OR  abs(f.pe - f.market_cap / f.pat_ttm) > 1e-6 * f.pe
   OR  f.profitable_years_10y NOT BETWEEN 0 AND 10
   OR  f.piotroski_f NOT BETWEEN 0 AND 9
   OR  (f.business_kind <> 'other' AND f.altman_z_score IS NOT NULL)
ORDER  BY f.symbol
