-- The value of an insider's trade is its price times its shares, and there is none without a price.
--
-- market: us
-- severity: row
SELECT symbol, filed_on, person, shares, price, value_usd
FROM   insider_trades
WHERE  (price IS NULL) <> (value_usd IS NULL)
   OR  abs(value_usd - price * shares) > 0.5 * price + 0.01
ORDER  BY symbol, filed_on
