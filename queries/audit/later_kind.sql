-- A list or a filing after the day tells that the company is a bank, another lender or neither: it is of one kind for all its periods.
--
-- kind:   assumed
-- tables: filed_bank_figures, banking_kpis, sector_kpis
SELECT w.symbol
FROM   whole.business_kinds AS w
       LEFT JOIN past.business_kinds AS p ON p.symbol = w.symbol
WHERE  w.business_kind <> coalesce(p.business_kind, '')
