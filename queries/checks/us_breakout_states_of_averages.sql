-- The state of the US benchmark and the flags beside it are what its close and its averages say.
--
-- market:   us
-- severity: error
SELECT session, sma_condition, above_sma_50, above_sma_200, benchmark_close, sma_50, sma_200
FROM   breakout_conditions
WHERE  (above_sma_50 IS DISTINCT FROM benchmark_close > sma_50)
   OR  (above_sma_200 IS DISTINCT FROM benchmark_close > sma_200)
   OR  (sma_condition = 'BULL_CONFIRMED') <> (above_sma_50 AND above_sma_200)
   OR  (sma_condition = 'ABOVE_SMA50_ONLY') <> (above_sma_50 AND NOT above_sma_200)
   OR  (sma_condition = 'BEAR_CONFIRMED') <> NOT above_sma_50
ORDER  BY session
