-- Explorer: how many stocks of each sector closed at their 52-week high or low in the last session, the most highs first.
--
-- An operation of the explorer. At the high is a close at most 1 % below the 52-week high, at the low one at most 1 % above the 52-week
-- low. Stocks that did not trade in the last session are not counted.
--
-- tool:   none
-- tier:   api_pro
-- group:  Explorer
-- answer: list
-- page:   breadth
-- picture: ranking title="Stocks at their 52-week high by sector" of=sector value=at_high:"At the high"
-- column: at_high     int count "Stocks that closed at most 1 % below their 52-week high."
-- column: at_low      int count "Stocks that closed at most 1 % above their 52-week low."
-- column: traded_count int count "Stocks that traded in the session."
-- column: high_symbols text?    "The five strongest of the stocks at the high, by RS rating."
-- column: low_symbols  text?    "The five weakest of the stocks at the low, by RS rating."
-- also:   us
WITH traded AS (
    SELECT symbol,
           COALESCE(sector, '(no sector)') AS sector,
           rs_rating,
           session,
           COALESCE(pct_from_high >= -1, FALSE)            AS is_high,
           COALESCE(price_cmp <= 1.01 * wk52_low, FALSE)   AS is_low
    FROM   stocks
    WHERE  session = as_of()
)
SELECT sector,
       COUNT(*) FILTER (WHERE is_high) AS at_high,
       COUNT(*) FILTER (WHERE is_low)  AS at_low,
       COUNT(*)                        AS traded_count,
       array_to_string(array_slice(array_agg(symbol ORDER BY rs_rating DESC NULLS LAST, symbol) FILTER (WHERE is_high), 1, 5), ', ') AS high_symbols,
       array_to_string(array_slice(array_agg(symbol ORDER BY rs_rating NULLS LAST, symbol) FILTER (WHERE is_low), 1, 5), ', ')       AS low_symbols,
       MAX(session)                    AS session
FROM   traded
GROUP  BY sector
ORDER  BY at_high DESC, at_low, sector
