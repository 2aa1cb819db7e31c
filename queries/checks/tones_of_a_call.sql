-- A call has one tone, whether it is read for guidance or for management.
--
-- market: india
-- severity: note
SELECT g.symbol, g.period_end, g.call_date, g.tone_score, m.call_date AS management_call_date, m.tone_score AS management_tone
FROM   guidance_tones AS g
       JOIN management_tones AS m ON m.symbol = g.symbol AND m.period_end = g.period_end
WHERE  (g.tone_score IS DISTINCT FROM m.tone_score)
   OR  (g.call_date IS DISTINCT FROM m.call_date)
ORDER  BY g.symbol, g.period_end
