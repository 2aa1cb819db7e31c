-- A bank, lender or insurer has no free cash flow, enterprise value, current ratio, Altman or Piotroski score; no other business has a lender's ratios.
--
-- severity: error
SELECT f.symbol, f.business_kind, r.ratio_code, r.ratio_value, f.fcf_ttm, f.enterprise_value, s.fcf_yield, s.ev_ebitda
FROM   fundamentals AS f
       LEFT JOIN ratios AS r ON r.symbol = f.symbol AND r.ratio_value IS NOT NULL AND NOT r.applies AND r.ratio_code <> 'interest_cover'
       LEFT JOIN screen AS s ON s.symbol = f.symbol
WHERE  r.symbol IS NOT NULL
   OR  (f.business_kind <> 'other' AND coalesce(f.fcf_ttm, f.enterprise_value, f.fcf_yield, f.ev_ebitda, f.current_ratio, f.altman_z_score,
                                                f.piotroski_f, s.fcf_yield, s.ev_ebitda, s.altman_z_score, s.piotroski_f) IS NOT NULL)
   OR  (f.business_kind = 'other' AND coalesce(f.equity_to_assets, f.tier1_pct, f.gnpa_pct, f.cost_of_funds, f.margin_on_assets) IS NOT NULL)
   OR  (f.business_kind = 'insurer' AND coalesce(f.gnpa_pct, f.cost_of_funds, f.margin_on_assets) IS NOT NULL)
ORDER  BY f.symbol, r.ratio_code
