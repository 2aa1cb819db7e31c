-- RS ratings by stock: the ratings of `rs_history`, stock by stock, for charts.
--
-- key:     symbol, session
-- sorted:  symbol, session
-- split:   year
-- per:     session
-- column: symbol    text
-- column: session   date
-- column: rs_rating int rating
SELECT symbol,
       session,
       rs_rating
FROM   rs_history
WHERE  rs_rating IS NOT NULL
ORDER  BY symbol, session
