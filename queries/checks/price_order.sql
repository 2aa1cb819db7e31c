-- A bar's low is its lowest price, its high its highest, and no more is delivered than traded.
--
-- severity: row
SELECT symbol, session, open, high, low, close, volume, delivered
FROM   daily_prices
WHERE  NOT (low > 0 AND low <= open AND low <= close AND open <= high AND close <= high)
   OR  volume < 0
   OR  delivered > volume
ORDER  BY symbol, session
