-- Scores are 0 to 100, stages 1 to 4.
--
-- severity: row
SELECT c.symbol, c.brs, c.score, s.rsi_14, s.stage
FROM   scans AS c
       JOIN stocks AS s ON s.symbol = c.symbol
WHERE  c.brs NOT BETWEEN 0 AND 100.000001
   OR  c.score NOT BETWEEN 0 AND 100.000001
   OR  s.rsi_14 NOT BETWEEN 0 AND 100.000001
   OR  s.stage NOT BETWEEN 1 AND 4
ORDER  BY c.symbol
