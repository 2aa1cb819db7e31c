-- What an insider holds after a trade in shares is what was held before, less what was sold, or with what was bought.
--
-- market: india
-- severity: note
SELECT symbol, filed_on, person, side, shares, held_before, held_after
FROM   insider_trades
WHERE  lower(security_type) LIKE '%equity%'
  AND  ((side = 'sell' AND held_before - shares <> held_after)
        OR (side = 'buy' AND held_before + shares <> held_after))
ORDER  BY symbol, filed_on
