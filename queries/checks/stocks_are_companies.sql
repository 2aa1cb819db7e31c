-- Every stock, scan and rating is of a known company.
--
-- severity: error
WITH named AS (
  SELECT symbol, 'stocks' AS table_name FROM stocks
  UNION ALL
  SELECT symbol, 'scans' AS table_name FROM scans
  UNION ALL
  SELECT symbol, 'latest_bars' AS table_name FROM latest_bars
  UNION ALL
  SELECT symbol, 'rs_history' AS table_name
  FROM   rs_history
  WHERE  session = as_of()
)
SELECT n.table_name, n.symbol
FROM   named AS n
       LEFT ANTI JOIN companies AS c ON c.symbol = n.symbol
ORDER  BY n.table_name, n.symbol
