-- The benchmark is chained from members whose list or caps are of a later day, so that its level on every session since is assumed.
--
-- kind:    assumed
-- tables:  breadth, breakout_conditions
-- columns: benchmark_close, ema_10, ema_20, ema_21, sma_50, sma_200, rsi_14, above_ema_10, above_ema_21, above_sma_50, above_sma_200, condition, sma_condition
SELECT session
FROM   whole.benchmark
WHERE  session >= (SELECT min(session) FROM whole.benchmark WHERE benchmark_assumed)
