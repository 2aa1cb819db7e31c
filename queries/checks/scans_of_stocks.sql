-- Scans hold the stocks that stocks hold, and say of highs and stages what the stocks say.
--
-- severity: error
SELECT coalesce(c.symbol, s.symbol) AS symbol, c.session AS scan_session, s.session, c.in_near_high, s.price_cmp,
       s.wk52_high, c.in_stage2, s.stage
FROM   scans AS c
       FULL JOIN stocks AS s ON s.symbol = c.symbol
WHERE  c.symbol IS NULL
   OR  s.symbol IS NULL
   OR  c.session <> s.session
   OR  (c.in_near_high AND s.pct_from_high < -5.000001)
   OR  (NOT c.in_near_high AND c.is_eligible AND s.pct_from_high > -4.999999)
   OR  (c.in_stage2 AND s.stage <> 2)
ORDER  BY 1
