-- A P/E is that of the market cap and none is made of a loss, counts are within their number, and lenders have no Altman score.
--
-- severity: row
SELECT symbol, market_cap, pat_ttm, pe, profitable_years_10y, piotroski_f, business_kind, altman_z_score
FROM   fundamentals
WHERE  (pat_ttm <= 0 AND pe IS NOT NULL)
   OR  abs(pe - market_cap / pat_ttm) > 1e-6 * pe
   OR  profitable_years_10y NOT BETWEEN 0 AND 10
   OR  piotroski_f NOT BETWEEN 0 AND 9
   OR  (business_kind <> 'other' AND altman_z_score IS NOT NULL)
ORDER  BY symbol
