-- A call's trend is what its score and the mean of the calls before say, and the first call has none.
--
-- severity: note
SELECT symbol, period_end, tone_score, tone_before, tone_trend
FROM   tone_history
WHERE  (tone_before IS NULL) <> (tone_trend IS NULL)
   OR  (tone_trend = 'improving' AND tone_score < tone_before + 5)
   OR  (tone_trend = 'worsening' AND tone_score > tone_before - 5)
   OR  (tone_trend = 'steady' AND abs(tone_score - tone_before) >= 5)
ORDER  BY symbol, period_end
