-- Free symbols: the stocks that free keys see.
--
-- They come from a file `free_symbols.csv` with a column `symbol` among the raw files. Without it, they are the 25 largest stocks by market
-- capitalisation at the first derivation (by the turnover of their last session if no market capitalisation is known), and do not change
-- later.
--
-- key:    symbol
-- sorted: symbol
-- keep:   yes
-- schedule: 30 12 * * 1-5 india
-- schedule: 0 18 * * 1-5 us
-- column: symbol text
SELECT symbol
FROM   (SELECT symbol
        FROM   stocks
        WHERE  session >= session_ago(4)
        ORDER  BY market_cap DESC NULLS LAST, volume * price_cmp DESC NULLS LAST, symbol
        LIMIT  25) AS largest
ORDER  BY symbol
