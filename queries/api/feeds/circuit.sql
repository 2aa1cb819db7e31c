-- Stocks that went to a limit of their price band in a session.
--
-- A date that is no session means the last session before it, which every row names. A stock that went to both limits has
-- a row for each. Without a list of price bands for the date there are none.
--
-- tool:   get_circuit_stocks
-- tier:   free
-- group:  Feeds
-- answer: list
-- param:  direction text = all in (upper, lower, all) "Which limit was hit." e.g. upper
-- param:  date      date? "Session to look at; left out, the last one."
-- column: close       number price "Closing price as it was traded."
-- column: turnover_cr number inr_crore "Turnover of the session."
SELECT h.symbol,
       c.company_name,
       c.sector,
       h.session,
       h.direction,
       h.locked,
       h.close,
       h.change_pct,
       h.limit_price,
       h.previous_close,
       h.band_pct,
       h.volume,
       h.turnover / 1e7   AS turnover_cr,
       h.market_cap / 1e7 AS market_cap_cr
FROM   circuits h
JOIN   companies c ON c.symbol = h.symbol
WHERE  h.session = session_on(COALESCE($date, as_of()))
AND    ($direction = 'all' OR h.direction = $direction)
ORDER  BY h.direction DESC, h.locked DESC, h.turnover DESC, h.symbol
