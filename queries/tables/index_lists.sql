-- Index lists: the newest member list of each index.
--
-- key:    index_name
-- sorted: index_name
-- column: index_name   text
-- column: list_date    date
-- column: member_count int count "Members of the index on its newest list; with a sector, only those of the sector."
WITH newest AS (
    SELECT index_name, MAX(list_date) AS list_date
    FROM   index_members
    GROUP  BY index_name
)
SELECT m.index_name,
       m.list_date,
       COUNT(*) AS member_count
FROM   index_members m
JOIN   newest n ON n.index_name = m.index_name AND n.list_date = m.list_date
GROUP  BY m.index_name, m.list_date
ORDER  BY m.index_name
