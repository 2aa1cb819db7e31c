-- No more shares of a stock are sold short in a session than trade in it.
--
-- market: india
-- severity: error
SELECT s.symbol, s.session, s.short_quantity, b.volume
FROM   short_sales s
JOIN   daily_prices b ON b.symbol = s.symbol AND b.session = s.session
WHERE  s.short_quantity > b.volume
ORDER  BY s.symbol, s.session
