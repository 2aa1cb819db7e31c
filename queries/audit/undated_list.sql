-- A list of members without a date holds from the last session of whoever reads it; `--lists-as-of` dates it.
--
-- kind:   assumed
-- tables: benchmark, breadth, breakout_conditions, universe, rs_history, rs_ratings
SELECT s.session
FROM   past.sessions AS s
WHERE  s.session >= (
         SELECT min(p.list_date)
         FROM   past.index_members AS p
                LEFT JOIN whole.index_members AS w ON w.index_name = p.index_name AND w.list_date = p.list_date
         WHERE  w.index_name IS NULL
       )
