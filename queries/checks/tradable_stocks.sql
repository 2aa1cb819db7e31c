-- A stock is tradable when it has a bar in the last five sessions and the median turnover of its last 20 bars is large enough.
--
-- Large enough is INR 0.5 crore in India and USD 0.5 million in the US. A young listing has the median of all its bars.
--
-- severity: error
WITH segments AS (
  SELECT symbol, max(price_segment) AS price_segment
  FROM   daily_prices
  GROUP  BY symbol
),
recent AS (
  SELECT p.symbol, p.turnover, row_number() OVER (PARTITION BY p.symbol ORDER BY p.session DESC) AS age
  FROM   segments AS l
         JOIN daily_prices AS p ON p.symbol = l.symbol AND p.price_segment = l.price_segment
),
medians AS (
  SELECT symbol, median(turnover) AS turnover
  FROM   recent
  WHERE  age <= 20
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
