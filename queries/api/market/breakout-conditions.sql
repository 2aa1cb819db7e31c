-- Breakout conditions: how the large-cap index stands to its two exponential averages, the newest session first.
--
-- ABOVE_BOTH: above ema_10 and ema_21; ABOVE_21_ONLY: above ema_21 alone; otherwise BELOW_BOTH, so also above ema_10
-- alone, and `above_ema_10` and `above_ema_21` say which. The series that stands for the index is named in every row.
--
-- tool:   get_breakout_conditions
-- tier:   free
-- group:  Market Intel
-- answer: list
-- param:  days int = 1 in 1..90 "Sessions to return, the last one first." e.g. 5
-- column: condition text "What the benchmark's averages say: in India ABOVE_BOTH, ABOVE_21_ONLY or BELOW_BOTH, in the US BULL_CONFIRMED, ABOVE_SMA50_ONLY or BEAR_CONFIRMED."
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
