-- Tone history: the score of each call with its class and its change from the call of the quarter before.
--
-- key:     symbol, period_end
-- sorted:  symbol, period_end
-- formula: tone 1
-- column: symbol      text
-- column: period_end  date
-- column: call_date   date?
-- column: tone_score  int score
-- column: tone        text "positive from 60, negative below 40, otherwise neutral."
-- column: tone_change int? points "Score less that of the quarter before; null where that quarter is missing."
-- column: calls_ago   int count "Calls between this one and the newest: 0 is the newest."
SELECT symbol,
       period_end,
       call_date,
       tone_score,
       CASE WHEN tone_score >= 60 THEN 'positive' WHEN tone_score >= 40 THEN 'neutral' ELSE 'negative' END AS tone,
       CASE WHEN period_end - LAG(period_end) OVER calls <= 100 THEN tone_score - LAG(tone_score) OVER calls END AS tone_change,
       CAST(ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS BIGINT) - 1 AS calls_ago
FROM   management_tones
WINDOW calls AS (PARTITION BY symbol ORDER BY period_end)
ORDER  BY symbol, period_end
