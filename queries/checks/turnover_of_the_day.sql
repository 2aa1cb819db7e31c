-- Turnover is the day's close times its volume.
--
-- Compared to a ten-millionth.
--
-- severity: error
SELECT symbol, session, close, volume, turnover
FROM   daily_prices
WHERE  abs(turnover - close * volume) > 1e-7 * (1 + close * volume)
ORDER  BY symbol, session
