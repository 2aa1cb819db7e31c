-- What a profile says of a US company is what the stock, its fundamentals and its scorecard say.
--
-- market:   us
-- severity: error
SELECT coalesce(p.symbol, s.symbol) AS symbol, p.price_cmp, s.price_cmp AS stock_price, p.pe, f.pe AS fundamental_pe, p.overall_score, c.overall_score AS card_score
FROM   us_company_profiles AS p
       FULL JOIN stocks AS s ON s.symbol = p.symbol
       LEFT JOIN fundamentals AS f ON f.symbol = s.symbol
       LEFT JOIN scorecards AS c ON c.symbol = s.symbol
WHERE  p.symbol IS NULL
   OR  s.symbol IS NULL
   OR  (p.price_cmp IS DISTINCT FROM s.price_cmp)
   OR  (p.rs_rating IS DISTINCT FROM s.rs_rating)
   OR  (p.rs_rank IS DISTINCT FROM s.rs_rank)
   OR  (p.change_pct IS DISTINCT FROM s.change_pct)
   OR  (p.pct_from_high IS DISTINCT FROM s.pct_from_high)
   OR  (p.stage IS DISTINCT FROM s.stage)
   OR  (p.ema_50 IS DISTINCT FROM s.ema_50)
   OR  (p.is_tradable <> s.is_tradable)
   OR  (p.pe IS DISTINCT FROM f.pe)
   OR  (p.roe IS DISTINCT FROM f.roe)
   OR  (p.overall_score IS DISTINCT FROM c.overall_score)
ORDER  BY symbol
