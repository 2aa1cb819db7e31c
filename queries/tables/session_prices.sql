-- Session prices: the bars of every session, to be asked by date.
--
-- key:    session, symbol
-- sorted: session, symbol
-- split:  year
-- per:    session
-- column: session    date
-- column: symbol     text
-- column: adj_close  number price
-- column: change_pct number? pct
-- column: volume     int shares
-- column: turnover   number money
-- column: market_cap number? money
SELECT session,
       symbol,
       close * factor AS adj_close,
       change_pct,
       volume,
       turnover,
       market_cap
FROM   daily_prices
ORDER  BY session, symbol
