-- An index list is about as long as the one before it.
--
-- A list that lost or gained a fifth was cut short or is of another index.
--
-- severity: note
WITH sizes AS (
  SELECT index_name, list_date, count(*) AS members
  FROM   index_members
  GROUP  BY index_name, list_date
),
pairs AS (
  SELECT index_name, list_date, members,
         lag(members) OVER (PARTITION BY index_name ORDER BY list_date) AS members_before
  FROM   sizes
)
SELECT index_name, list_date, members, members_before
FROM   pairs
WHERE  members_before >= 10
  AND  (members < 0.8 * members_before OR members > 1.25 * members_before)
ORDER  BY index_name, list_date
