-- What an insider pays or gets is the shares times their price.
--
-- To a hundredth and one share, as parts of shares are left out of their number.
--
-- market: us
-- severity: note
SELECT symbol, filed_on, person, side, shares, price, value_usd
FROM   insider_trades
WHERE  abs(value_usd - shares * price) > 0.01 * abs(value_usd) + price
ORDER  BY symbol, filed_on, person
