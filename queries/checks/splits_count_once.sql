-- No split or bonus is counted twice.
--
-- Two of one company with one factor within thirty days are most likely the same, under two dates or two names.
--
-- severity: note
-- identity: yes
SELECT a.symbol, a.ex_date, a.action, a.origin, b.ex_date AS again_on, b.action AS again_as, b.origin AS again_from, a.factor
FROM   corporate_actions AS a
       JOIN companies AS c ON c.symbol = a.symbol
       JOIN corporate_actions AS b
         ON b.symbol = a.symbol
        AND (b.ex_date > a.ex_date OR (b.ex_date = a.ex_date AND b.action > a.action))
WHERE  a.factor <> 1
  AND  abs(a.factor / b.factor - 1) < 1e-6
  AND  b.ex_date - a.ex_date <= 30
ORDER  BY a.symbol, a.ex_date, a.action
