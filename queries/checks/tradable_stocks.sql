-- A stock is tradable when it has a bar in the last five sessions and the median turnover of its last 20 bars is large enough.
--
-- Large enough is INR 0.5 crore in India and USD 0.5 million in the US. A young listing has the median of all its bars. Where the last
-- 20 bars go back further than 250 sessions, the stock is not judged.
--
-- severity: error
WITH recent AS (
  SELECT symbol, price_segment, turnover,
         min(price_segment) OVER (PARTITION BY symbol)                       AS first_segment,
         max(price_segment) OVER (PARTITION BY symbol)                       AS last_segment,
         row_number()       OVER (PARTITION BY symbol ORDER BY session DESC) AS age
  FROM   daily_prices
  WHERE  session >= coalesce(session_ago(249), DATE '1900-01-01')
),
medians AS (
  SELECT symbol, median(turnover) AS turnover, count(*) = 20 OR min(first_segment) < max(last_segment) AS is_complete
  FROM   recent
  WHERE  age <= 20 AND price_segment = last_segment
  GROUP  BY symbol
),
older AS (
  SELECT DISTINCT symbol
  FROM   daily_prices
  WHERE  session < coalesce(session_ago(249), DATE '1900-01-01')
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
         LEFT JOIN older AS o ON o.symbol = s.symbol
         CROSS JOIN fifth AS f
  WHERE  m.is_complete IS NOT FALSE OR o.symbol IS NULL OR s.session < f.session
)
SELECT symbol, session, is_tradable, median_turnover
FROM   wanted
WHERE  wanted IS NULL OR is_tradable <> wanted
ORDER  BY symbol
