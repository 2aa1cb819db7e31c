-- A class of shares is counted in the main class of the company, which counts itself; sectors sum each company once.
--
-- To a millionth, for the order in which they are summed.
--
-- market:   us
-- severity: error
WITH sums AS (
  SELECT sector, sum(market_cap) / 1e9 AS counted_once
  FROM   stocks
  WHERE  cap_counted_in IS NULL AND sector IS NOT NULL AND session >= session_ago(4)
  GROUP  BY sector
)
SELECT c.symbol, c.cap_counted_in AS counted_in, m.cap_counted_in AS which_is_counted_in, NULL AS sector, NULL AS total, NULL AS counted_once
FROM   companies AS c
       LEFT JOIN companies AS m ON m.symbol = c.cap_counted_in
WHERE  c.cap_counted_in IS NOT NULL AND (m.symbol IS NULL OR m.cap_counted_in IS NOT NULL)
UNION  ALL
SELECT NULL, NULL, NULL, s.sector, s.total_market_cap_b, x.counted_once
FROM   sectors AS s
       LEFT JOIN sums AS x ON x.sector = s.sector
WHERE  (s.total_market_cap_b IS NULL) <> (x.counted_once IS NULL)
   OR  abs(s.total_market_cap_b / x.counted_once - 1) > 1e-6
ORDER  BY 1, 4
