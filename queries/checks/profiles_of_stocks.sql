-- What a profile says of a company of India is what the stock and its fundamentals say.
--
-- market:   india
-- severity: error
SELECT coalesce(p.symbol, s.symbol) AS symbol, p.price_cmp, s.price_cmp AS stock_price, p.pe, f.pe AS fundamental_pe
FROM   company_profiles AS p
       FULL JOIN stocks AS s ON s.symbol = p.symbol
       LEFT JOIN fundamentals AS f ON f.symbol = s.symbol
WHERE  p.symbol IS NULL
   OR  s.symbol IS NULL
   OR  (p.price_cmp IS DISTINCT FROM s.price_cmp)
   OR  (p.rs_rating IS DISTINCT FROM s.rs_rating)
   OR  (p.pe IS DISTINCT FROM f.pe)
   OR  (p.roe IS DISTINCT FROM f.roe)
ORDER  BY symbol
