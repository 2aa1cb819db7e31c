-- Rows that all judged tables have: a server keeps the tables that operations read.
--
-- tool:   none
-- tier:   api_pro
-- group:  Judge
-- answer: list
SELECT t.id
FROM   t
       JOIN u ON u.id = t.id
       JOIN w ON w.id = t.id
       JOIN none ON none.id = t.id
ORDER  BY t.id
