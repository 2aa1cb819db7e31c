-- Orders and contracts are of companies of the market, and none was filed after the last session.
--
-- severity: note
SELECT o.symbol, o.filed_on, o.title
FROM   order_wins AS o
       LEFT JOIN companies AS c ON c.symbol = o.symbol
WHERE  c.symbol IS NULL
   OR  o.filed_on > as_of()
ORDER  BY o.symbol, o.filed_on
