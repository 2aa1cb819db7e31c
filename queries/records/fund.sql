-- Fund: the symbol of an exchange-traded fund. A symbol that is on such a list on any date is no common stock on all dates.
--
-- staged: symbol symbol

SELECT symbol, CASE WHEN symbol IS NULL THEN 'no symbol' END AS refused
FROM staged
