-- A stock of the industry was given another industry by a list after the day: a stock has one industry for all its sessions, the newest.
--
-- Where no company has an industry, its sector replaces it, as in these tables.
--
-- kind:   assumed
-- tables: industry_growths, industry_indices, industry_stages
SELECT w.industry
FROM   whole.listings AS w
       LEFT JOIN past.listings AS p ON p.symbol = w.symbol
WHERE  w.industry <> coalesce(p.industry, '')
UNION
SELECT p.industry
FROM   past.listings AS p
       LEFT JOIN whole.listings AS w ON w.symbol = p.symbol
WHERE  p.industry <> coalesce(w.industry, '')
