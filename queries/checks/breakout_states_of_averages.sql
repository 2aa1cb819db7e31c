-- The state of the benchmark and the flags beside it are what its close and its averages say.
--
-- market:   india
-- severity: row
SELECT session, ema_condition, above_ema_10, above_ema_21, benchmark_close, ema_10, ema_21
FROM   breakout_conditions
WHERE  (above_ema_10 IS DISTINCT FROM benchmark_close > ema_10)
   OR  (above_ema_21 IS DISTINCT FROM benchmark_close > ema_21)
   OR  (ema_condition = 'ABOVE_BOTH') <> (above_ema_10 AND above_ema_21)
   OR  (ema_condition = 'ABOVE_21_ONLY') <> (above_ema_21 AND NOT above_ema_10)
   OR  (ema_condition = 'BELOW_BOTH') <> NOT above_ema_21
ORDER  BY session
