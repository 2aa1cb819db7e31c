-- The classes of the public hold what the public does, and mutual funds and insurers are a part of domestic institutions.
--
-- To a tenth of a percent. A class that a source does not have is not missed; where all are there, they are the whole public.
--
-- market: india
-- severity: note
SELECT symbol, period_end, public_pct, fii_pct, dii_pct, mutual_fund_pct, insurer_pct, government_pct, non_institution_pct
FROM   shareholding
WHERE  coalesce(fii_pct, 0) + coalesce(dii_pct, 0) + coalesce(government_pct, 0) + coalesce(non_institution_pct, 0) > public_pct + 0.1
   OR  fii_pct + dii_pct + coalesce(government_pct, 0) + non_institution_pct < public_pct - 0.1
   OR  coalesce(mutual_fund_pct, 0) + coalesce(insurer_pct, 0) > dii_pct + 0.1
   OR  least(fii_pct, dii_pct, mutual_fund_pct, insurer_pct, government_pct, non_institution_pct) < 0
ORDER  BY symbol, period_end
