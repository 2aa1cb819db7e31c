-- Promoters, public and trusts hold all of a company together, and the classes of the public hold what the public does.
--
-- To a tenth of a percent. What custodians of depositary receipts hold is outside the three, so more than 100 is wrong and less
-- than 70 unlikely. Classes that a source does not have are not missed.
--
-- market: india
-- severity: note
SELECT symbol, period_end, promoter_pct, public_pct, trusts_pct, fii_pct, dii_pct, mutual_fund_pct, insurer_pct, government_pct, non_institution_pct,
       promoter_pct + public_pct + coalesce(trusts_pct, 0) AS together,
       coalesce(fii_pct, 0) + coalesce(dii_pct, 0) + coalesce(government_pct, 0) + coalesce(non_institution_pct, 0) AS of_public
FROM   shareholding
WHERE  promoter_pct + public_pct + coalesce(trusts_pct, 0) NOT BETWEEN 70 AND 100.1
   OR  promoter_pct NOT BETWEEN 0 AND 100
   OR  public_pct NOT BETWEEN 0 AND 100
   OR  fii_pct NOT BETWEEN 0 AND 100
   OR  dii_pct NOT BETWEEN 0 AND 100
   OR  mutual_fund_pct NOT BETWEEN 0 AND 100
   OR  insurer_pct NOT BETWEEN 0 AND 100
   OR  government_pct NOT BETWEEN 0 AND 100
   OR  non_institution_pct NOT BETWEEN 0 AND 100
   OR  coalesce(fii_pct, 0) + coalesce(dii_pct, 0) + coalesce(government_pct, 0) + coalesce(non_institution_pct, 0) > public_pct + 0.1
   OR  (fii_pct IS NOT NULL AND dii_pct IS NOT NULL AND non_institution_pct IS NOT NULL
        AND fii_pct + dii_pct + coalesce(government_pct, 0) + non_institution_pct < public_pct - 0.1)
   OR  coalesce(mutual_fund_pct, 0) + coalesce(insurer_pct, 0) > dii_pct + 0.1
ORDER  BY symbol, period_end
