-- An industry's number of stocks is that of the stocks which name it.
--
-- severity: note
WITH counted AS (
  SELECT industry, count(*) AS stocks
  FROM   stocks
  WHERE  industry IS NOT NULL
  GROUP  BY industry
)
SELECT i.industry, i.stock_count, c.stocks
FROM   industry_stages AS i
       LEFT JOIN counted AS c ON c.industry = i.industry
WHERE  i.grouped_by = 'industry'
AND    i.stock_count > coalesce(c.stocks, 0)
ORDER  BY i.industry
