-- The members of the newest index lists are companies of the market.
--
-- severity: note
WITH newest AS (
  SELECT index_name, max(list_date) AS list_date
  FROM   index_members
  GROUP  BY index_name
)
SELECT m.index_name, m.list_date, m.symbol
FROM   index_members AS m
       JOIN newest AS n ON n.index_name = m.index_name AND n.list_date = m.list_date
       LEFT ANTI JOIN companies AS c ON c.symbol = m.symbol
ORDER  BY m.index_name, m.symbol
