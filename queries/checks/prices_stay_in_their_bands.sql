-- No price is beyond the limit that a stock was at.
--
-- To a tick of a thousandth; where a price is, the band on file was not that of the day.
--
-- market: india
-- severity: note
SELECT c.session, c.symbol, c.direction, c.band_pct, c.previous_close, c.limit_price, p.high, p.low
FROM   circuits AS c
       JOIN daily_prices AS p ON p.symbol = c.symbol AND p.session = c.session
WHERE  (c.direction = 'upper' AND p.high > 1.001 * c.limit_price + 0.05)
   OR  (c.direction = 'lower' AND p.low < 0.999 * c.limit_price - 0.05)
ORDER  BY c.session, c.symbol
