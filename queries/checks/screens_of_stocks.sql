-- What the screener sees of a stock is what the stock, its fundamentals and its scorecard say.
--
-- severity: error
SELECT s.symbol, s.price_cmp, k.price_cmp AS stock_price, s.pe, f.pe AS fundamental_pe, s.rs_rating, k.rs_rating AS stock_rating
FROM   screen AS s
       LEFT JOIN stocks AS k ON k.symbol = s.symbol
       LEFT JOIN fundamentals AS f ON f.symbol = s.symbol
       LEFT JOIN scorecards AS c ON c.symbol = s.symbol
WHERE  k.symbol IS NULL
   OR  (s.price_cmp IS DISTINCT FROM k.price_cmp)
   OR  (s.rs_rating IS DISTINCT FROM k.rs_rating)
   OR  (s.pe IS DISTINCT FROM f.pe)
   OR  (s.roe IS DISTINCT FROM f.roe)
   OR  (s.overall_score IS DISTINCT FROM c.overall_score)
ORDER  BY s.symbol
