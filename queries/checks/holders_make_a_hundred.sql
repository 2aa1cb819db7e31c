-- Promoters, public and trusts hold all of a company together.
--
-- To a tenth of a percent. What custodians of depositary receipts hold is outside the three, so more than 100 is wrong and less
-- than 70 unlikely.
--
-- market: india
-- severity: note
SELECT symbol, period_end, promoter_pct, public_pct, trusts_pct,
       promoter_pct + public_pct + coalesce(trusts_pct, 0) AS together
FROM   shareholding
WHERE  promoter_pct + public_pct + coalesce(trusts_pct, 0) NOT BETWEEN 70 AND 100.1
   OR  promoter_pct NOT BETWEEN 0 AND 100
   OR  public_pct NOT BETWEEN 0 AND 100
ORDER  BY symbol, period_end
