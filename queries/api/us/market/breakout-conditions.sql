-- Breakout conditions: the large-cap benchmark against its averages of 50 and 200 sessions.
--
-- BULL_CONFIRMED: above both; ABOVE_SMA50_ONLY: above sma_50 only; otherwise BEAR_CONFIRMED, also if above sma_200 only: `above_sma_50` and
-- `above_sma_200` say which. `benchmark` names the series that represents the market.
--
-- tool:   us_get_breakout_conditions
-- tier:   free
-- group:  US Markets
-- answer: one
-- column: condition text "Condition of the benchmark by its averages: in India ABOVE_BOTH, ABOVE_21_ONLY or BELOW_BOTH, in the US BULL_CONFIRMED, ABOVE_SMA50_ONLY or BEAR_CONFIRMED."
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
