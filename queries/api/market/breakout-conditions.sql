-- Breakout conditions: the large-cap index against its two exponential averages, the newest session first.
--
-- ABOVE_BOTH: above ema_10 and ema_21; ABOVE_21_ONLY: above ema_21 only; otherwise BELOW_BOTH, also if above ema_10 only: `above_ema_10`
-- and `above_ema_21` say which. `benchmark` names the series that represents the index.
--
-- tool:   get_breakout_conditions
-- tier:   free
-- group:  Market Intel
-- answer: list
-- param:  days int = 1 in 1..90 "Sessions to return, the last one first." e.g. 5
-- column: condition text "Condition of the benchmark by its averages: in India ABOVE_BOTH, ABOVE_21_ONLY or BELOW_BOTH, in the US BULL_CONFIRMED, ABOVE_SMA50_ONLY or BEAR_CONFIRMED."
SELECT session,
       ema_condition AS condition,
       above_ema_10,
       above_ema_21,
       benchmark,
       benchmark_close,
       ema_10,
       ema_21
FROM   breakout_conditions
WHERE  session >= session_ago($days - 1)
ORDER  BY session DESC
