-- A share of a stock's first bar has become as many, by its last bar and by today, as all splits and bonuses until then make of it.
--
-- Compared to a millionth, as files round factors.
--
-- severity: error
WITH last_bars AS (
  SELECT symbol, min(session) AS first_bar, max(session) AS session,
         last_value(cumulative_split_factor ORDER BY session) AS cumulative_split_factor
  FROM   daily_prices
  GROUP  BY symbol
),
products AS (
  SELECT b.symbol,
         exp(-sum(ln(a.factor)) FILTER (WHERE a.ex_date <= b.session)) AS by_bar,
         exp(-sum(ln(a.factor)))                                      AS by_today
  FROM   last_bars AS b
         JOIN corporate_actions AS a ON a.symbol = b.symbol AND a.ex_date > b.first_bar
  WHERE  a.factor > 0 AND a.factor <> 1
  GROUP  BY b.symbol
)
SELECT b.symbol, b.session, b.cumulative_split_factor, p.by_bar, l.cumulative_split_factor_now, p.by_today
FROM   last_bars AS b
       LEFT JOIN latest_bars AS l ON l.symbol = b.symbol
       LEFT JOIN products AS p ON p.symbol = b.symbol
WHERE  abs(b.cumulative_split_factor / coalesce(p.by_bar, 1.0) - 1) > 1e-6
   OR  abs(l.cumulative_split_factor_now / coalesce(p.by_today, 1.0) - 1) > 1e-6
ORDER  BY b.symbol
