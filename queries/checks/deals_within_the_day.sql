-- A bulk or block deal is a part of the session's volume, at a price of the session.
--
-- The price may lie a hundredth outside the day's range, as reports give means; block windows have prices of their own.
--
-- market: india
-- severity: note
SELECT d.symbol, d.deal_date, d.deal_type, d.client, d.quantity, p.volume, d.price, p.low, p.high
FROM   deals AS d
       JOIN daily_prices AS p ON p.symbol = d.symbol AND p.session = d.deal_date
WHERE  d.quantity > p.volume
   OR  (d.deal_type = 'bulk' AND (d.price < 0.99 * p.low OR d.price > 1.01 * p.high))
ORDER  BY d.symbol, d.deal_date
