-- A stock is tradable when it has a bar in the last five sessions and the median turnover of its last 20 bars is large enough.
--
-- Large enough is INR 0.5 crore in India and USD 0.5 million in the US. A young listing has the median of all its bars.
--
-- severity: error
WITH recent AS (
  SELECT p.symbol, p.turnover,
         row_number() OVER (PARTITION BY p.symbol ORDER BY p.price_segment DESC, p.session DESC) AS age,
         p.price_segment = max(p.price_segment) OVER (PARTITION BY p.symbol) AS is_last_segment
  FROM   daily_prices AS p
),
medians AS (
  SELECT symbol, median(turnover) AS turnover
  FROM   recent
  WHERE  age <= 20 AND is_last_segment
  GROUP  BY symbol
),
fifth AS (
  SELECT min(session) AS session
  FROM   (SELECT session FROM sessions ORDER BY session DESC LIMIT 5) AS newest
),
wanted AS (
  SELECT s.symbol, s.session, s.is_tradable, m.turnover AS median_turnover,
         m.turnover >= CASE market() WHEN 'india' THEN 5e6 ELSE 5e5 END AND s.session >= f.session AS wanted
  FROM   stocks AS s
         LEFT JOIN medians AS m ON m.symbol = s.symbol
         CROSS JOIN fifth AS f
)
SELECT symbol, session, is_tradable, median_turnover
FROM   wanted
WHERE  wanted IS NULL OR is_tradable <> wanted
ORDER  BY symbol
