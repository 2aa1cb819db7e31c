-- A list after the day gives the security its symbol.
--
-- kind:    assumed
-- tables:  investor_positions, investor_holdings
-- columns: symbol
SELECT DISTINCT cusip
FROM   past.investor_positions
WHERE  symbol IS NULL
