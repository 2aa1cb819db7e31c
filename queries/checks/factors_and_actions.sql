-- A stock's first bar is adjusted by the product of all later splits and bonuses.
--
-- Compared to a millionth, as files round factors.
--
-- severity: error
WITH first_bars AS (
  SELECT symbol, min(session) AS session, first_value(factor ORDER BY session) AS factor
  FROM   daily_prices
  GROUP  BY symbol
),
products AS (
  SELECT b.symbol, exp(sum(ln(a.factor))) AS product
  FROM   first_bars AS b
         JOIN corporate_actions AS a ON a.symbol = b.symbol AND a.ex_date > b.session
  WHERE  a.factor > 0 AND a.factor <> 1
  GROUP  BY b.symbol
)
SELECT b.symbol, b.session, b.factor, coalesce(p.product, 1.0) AS product
FROM   first_bars AS b
       LEFT JOIN products AS p ON p.symbol = b.symbol
WHERE  abs(b.factor / coalesce(p.product, 1.0) - 1) > 1e-6
ORDER  BY b.symbol
