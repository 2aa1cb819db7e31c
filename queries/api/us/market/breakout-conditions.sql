-- Breakout conditions: how the large-cap benchmark stands to its averages of 50 and 200 sessions.
--
-- BULL_CONFIRMED: above both; ABOVE_SMA50_ONLY: above sma_50 alone; otherwise BEAR_CONFIRMED, so also above
-- sma_200 alone; `above_sma_50` and `above_sma_200` say which. The series that stands for the market is named.
--
-- tool:   us_get_breakout_conditions
-- tier:   free
-- group:  US Markets
-- answer: one
-- column: condition text "What the benchmark's averages say: in India ABOVE_BOTH, ABOVE_21_ONLY or BELOW_BOTH, in the US BULL_CONFIRMED, ABOVE_SMA50_ONLY or BEAR_CONFIRMED."
-- column: price number price "Close of the benchmark."
SELECT sma_condition AS condition,
       above_sma_50,
       above_sma_200,
       benchmark,
       benchmark_close AS price,
       ema_20,
       rsi_14,
       sma_50,
       sma_200,
       session
FROM   breakout_conditions
WHERE  session = as_of()
