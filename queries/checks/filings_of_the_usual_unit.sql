-- Revenue and share capital of a filing are not by one power of ten off those of the periods beside it.
--
-- Such a filing is of a wrong unit; it stays as it was filed, and no ratio and no growth is made of it.
--
-- severity: note
SELECT symbol, basis, period_type, period_end, announced_on, currency, revenue, share_capital
FROM   statements
WHERE  wrong_unit
ORDER  BY symbol, period_end, period_type
