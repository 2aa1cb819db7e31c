-- Free symbols: the stocks that free keys see.
--
-- The 25 largest by market capitalisation among those that trade; where no capitalisation is known, by the turnover of their last session.
--
-- key:    symbol
-- sorted: symbol
-- schedule: 30 12 * * 1-5
-- column: symbol text
SELECT symbol
FROM   (SELECT symbol
        FROM   stocks
        WHERE  session >= session_ago(4)
        ORDER  BY market_cap DESC NULLS LAST, volume * price_cmp DESC NULLS LAST, symbol
        LIMIT  25) AS largest
ORDER  BY symbol
