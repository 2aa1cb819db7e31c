-- A ratio in the long table is that of the company's row, and its percentile is 0 to 100.
--
-- severity: error
SELECT r.symbol, r.ratio_code, r.ratio_value, f.pe, f.roce, f.de, f.opm_pct, r.peer_percentile
FROM   ratios AS r
       LEFT JOIN fundamentals AS f ON f.symbol = r.symbol
WHERE  f.symbol IS NULL
   OR  (r.ratio_code = 'pe' AND abs(r.ratio_value - f.pe) > 1e-6 * f.pe)
   OR  (r.ratio_code = 'roce' AND abs(r.ratio_value - f.roce) > 1e-6 * (1 + abs(f.roce)))
   OR  (r.ratio_code = 'de' AND abs(r.ratio_value - f.de) > 1e-6 * (1 + abs(f.de)))
   OR  r.peer_percentile NOT BETWEEN 0 AND 100
ORDER  BY r.symbol, r.ratio_code
