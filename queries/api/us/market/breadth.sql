-- Market breadth of the last session.
--
-- Each common stock is compared with the session before; a new high or low is the highest or
-- lowest of the bar and of those at most 365 calendar days older.
--
-- tool:   us_get_market_breadth
-- tier:   free
-- group:  US Markets
-- answer: one
-- coverage: breadth
SELECT session,
       advances,
       declines,
       unchanged,
       ad_line,
       mcclellan,
       pct_above_sma10,
       pct_above_sma20,
       pct_above_sma40,
       pct_above_sma50,
       pct_above_sma200,
       new_highs,
       new_lows,
       benchmark,
       benchmark_close
FROM   breadth
WHERE  session = as_of()
