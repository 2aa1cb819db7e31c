-- Circuits: the bars that reached a limit of their price band.
--
-- The limits are the close of the session before, in shares of the session, plus and minus the band; the upper limit is rounded down to the
-- tick, the lower limit up; a limit that is the close before is none. The band is that of the newest list that was published before the session, at most
-- a month before; a stock
-- without such a band has no row.
--
-- market:  india
-- key:     session, symbol, direction
-- sorted:  symbol, session, direction
-- schedule: 30 12 * * 1-5
-- stale-after-hours: 78
-- formula: circuits 2
-- column: session        date
-- column: symbol         text
-- column: direction      text         "upper or lower: the limit that was hit."
-- column: close          number price
-- column: previous_close number price
-- column: band_pct       number? pct
-- column: limit_price    number price "The limit that the price reached."
-- column: locked         bool         "Whether the price closed at the limit."
-- column: change_pct     number? pct
-- column: volume         int shares
-- column: turnover       number money
-- column: market_cap     number? money
-- column: market_cap_assumed bool?
SELECT session,
       symbol,
       direction,
       close,
       previous_close,
       band_pct,
       limit_price,
       locked,
       change_pct,
       volume,
       turnover,
       market_cap,
       market_cap_assumed
FROM   limit_hits
ORDER  BY symbol, session, direction
