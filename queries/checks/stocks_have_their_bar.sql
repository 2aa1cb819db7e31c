-- A stock's price and session are those of its last bar; so is the market cap of one that traded in the last session.
--
-- severity: error
WITH last_bars AS (
  SELECT symbol, max(session) AS session,
         last_value(close ORDER BY session) AS close,
         last_value(market_cap ORDER BY session) AS market_cap
  FROM   daily_prices
  GROUP  BY symbol
)
SELECT s.symbol, s.session, b.session AS bar_session, s.price_cmp, b.close, s.market_cap, b.market_cap AS bar_market_cap
FROM   stocks AS s
       LEFT JOIN last_bars AS b ON b.symbol = s.symbol
WHERE  b.symbol IS NULL
   OR  s.session <> b.session
   OR  abs(s.price_cmp - b.close) > 1e-6 * b.close
   OR  s.session = as_of() AND abs(s.market_cap - b.market_cap) > 1e-6 * b.market_cap
ORDER  BY s.symbol
