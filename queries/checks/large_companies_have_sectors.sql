-- The 500 largest companies, in a smaller market the larger half, have a sector.
--
-- Where no list says one, a file of your own with the columns symbol,sector settles it.
--
-- severity: note
WITH ranked AS (
  SELECT symbol, company_name, sector, market_cap,
         row_number() OVER (ORDER BY market_cap DESC, symbol) AS place,
         count(*) OVER () AS companies
  FROM   stocks
  WHERE  market_cap IS NOT NULL
)
SELECT symbol, company_name, place, market_cap
FROM   ranked
WHERE  sector IS NULL AND place <= least(500, companies / 2)
ORDER  BY place
