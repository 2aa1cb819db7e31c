-- Session prices: the bars of every session, to be asked by date.
--
-- key:    session, symbol
-- sorted: session, symbol
-- split:  year
-- per:    session
-- column: session    date
-- column: symbol     text
-- column: adj_close  number price "Close in shares of the stock's first bar."
-- column: change_pct number? pct
-- column: volume     int shares
-- column: turnover   number money
-- column: market_cap number? money
SELECT session,
       symbol,
       close * shares_of_one AS adj_close,
       change_pct,
       volume,
       turnover,
       market_cap
FROM   daily_prices
ORDER  BY session, symbol
