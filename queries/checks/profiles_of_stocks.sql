-- What a profile says of a company of India is what the stock and its fundamentals say.
--
-- market:   india
-- severity: error
SELECT p.symbol, p.price_cmp, s.price_cmp AS stock_price, p.pe, f.pe AS fundamental_pe
FROM   stocks AS s
       LEFT JOIN company_profiles AS p ON p.symbol = s.symbol
       LEFT JOIN fundamentals AS f ON f.symbol = s.symbol
WHERE  p.symbol IS NULL
   OR  (p.price_cmp IS DISTINCT FROM s.price_cmp)
   OR  (p.rs_rating IS DISTINCT FROM s.rs_rating)
   OR  (p.pe IS DISTINCT FROM f.pe)
   OR  (p.roe IS DISTINCT FROM f.roe)
ORDER  BY s.symbol
