-- A stock of the industry was given another industry by a list after the day: a stock has one industry for all its sessions, the newest.
--
-- kind:   assumed
-- tables: industry_growths, industry_indices, industry_stages
WITH labels AS (
  SELECT p.industry AS industry_then, w.industry AS industry_now
  FROM   past.companies AS p
         FULL JOIN whole.companies AS w ON w.symbol = p.symbol
  WHERE  p.industry IS DISTINCT FROM w.industry
)
SELECT industry_then AS industry FROM labels WHERE industry_then IS NOT NULL
UNION
SELECT industry_now AS industry FROM labels WHERE industry_now IS NOT NULL
