-- The figures of a period are those of the newest filing's lines.
--
-- Compared to a millionth, for money, where the lines have the period; a fourth quarter may be what is left of its year.
--
-- severity: error
WITH newest AS (
  SELECT symbol, basis, period_type, period_end, line, last_value(value ORDER BY filed_at NULLS FIRST) AS value
  FROM   statement_lines
  WHERE  line IN ('revenue', 'pat', 'total_assets', 'equity', 'cfo')
  GROUP  BY symbol, basis, period_type, period_end, line
),
lines AS (
  SELECT symbol, basis, period_type, period_end,
         max(value) FILTER (WHERE line = 'revenue') AS revenue,
         max(value) FILTER (WHERE line = 'pat') AS pat,
         max(value) FILTER (WHERE line = 'total_assets') AS total_assets,
         max(value) FILTER (WHERE line = 'equity') AS equity,
         max(value) FILTER (WHERE line = 'cfo') AS cfo
  FROM   newest
  GROUP  BY symbol, basis, period_type, period_end
)
SELECT s.symbol, s.period_type, s.period_end, s.basis, s.revenue, l.revenue AS line_revenue, s.pat, l.pat AS line_pat,
       s.total_assets, l.total_assets AS line_total_assets, s.equity, l.equity AS line_equity, s.cfo, l.cfo AS line_cfo
FROM   statements AS s
       JOIN lines AS l
         ON l.symbol = s.symbol AND l.basis = s.basis AND l.period_type = s.period_type AND l.period_end = s.period_end
WHERE  abs(s.revenue - l.revenue) > 1e-6 * abs(l.revenue)
   OR  abs(s.pat - l.pat) > 1e-6 * abs(l.pat)
   OR  abs(s.total_assets - l.total_assets) > 1e-6 * abs(l.total_assets)
   OR  abs(s.equity - l.equity) > 1e-6 * abs(l.equity)
   OR  abs(s.cfo - l.cfo) > 1e-6 * abs(l.cfo)
ORDER  BY s.symbol, s.period_end, s.period_type
