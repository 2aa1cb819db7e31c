-- Session closes: the adjusted closes by session, in India only, where `lists/changes` computes moves of prices from them.
--
-- market:  india
-- view:    yes
-- key:     session, symbol
-- sorted:  session, symbol
-- column:  session   date
-- column:  symbol    text
-- column:  adj_close number price
SELECT session, symbol, adj_close FROM session_prices
