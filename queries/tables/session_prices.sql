-- Session prices: the bars of every session, for look-ups by date.
--
-- `adj_close` and `adj_volume` are in shares of the stock's first bar, so that no later split rescales them.
--
-- key:    session, symbol
-- sorted: session, symbol
-- split:  year
-- per:    session
-- column: session    date
-- column: symbol     text
-- column: adj_close   number price  "Close in shares of the stock's first bar."
-- column: change_pct number? pct
-- column: adj_volume  number shares "Volume in shares of the stock's first bar."
-- column: turnover   number money
-- column: market_cap number? money
-- column: market_cap_assumed bool?
-- column: is_tradable bool
SELECT p.session,
       p.symbol,
       p.close * p.cumulative_split_factor    AS adj_close,
       p.change_pct,
       p.volume / p.cumulative_split_factor   AS adj_volume,
       p.turnover,
       p.market_cap,
       p.market_cap_assumed,
       COALESCE(i.is_liquid, FALSE) AS is_tradable
FROM   daily_prices p
JOIN   indicators i ON i.session = p.session AND i.symbol = p.symbol
ORDER  BY p.session, p.symbol
