-- Investor: an institutional investor that is followed.
--
-- staged: cik cik, investor words, style words?
-- fills:  investors

SELECT cik, investor AS name, style, CASE WHEN cik IS NULL OR investor IS NULL THEN 'no filer' END AS refused
FROM staged
