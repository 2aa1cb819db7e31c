-- A stock of the industry was given another industry by a list after the day: a stock has one industry for all its sessions, the newest.
--
-- kind:   assumed
-- tables: industry_growths, industry_indices, industry_stages
SELECT w.industry
FROM   whole.companies AS w
       LEFT JOIN past.companies AS p ON p.symbol = w.symbol
WHERE  w.industry <> coalesce(p.industry, '')
UNION
SELECT p.industry
FROM   past.companies AS p
       LEFT JOIN whole.companies AS w ON w.symbol = p.symbol
WHERE  p.industry <> coalesce(w.industry, '')
