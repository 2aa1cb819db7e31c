-- Tone history: the score of each call with its class, its change from the call of the quarter before, and its trend.
--
-- The trend of a call compares its score with the mean of up to four calls before it, so that it does not depend on how many calls are
-- shown.
--
-- key:     symbol, period_end
-- sorted:  symbol, period_end
-- of-day: calls_ago
-- formula: tone 2
-- column: symbol      text
-- column: period_end  date
-- column: call_date   date?
-- column: tone_score  int score
-- column: tone        text "positive from 60, negative below 40, otherwise neutral."
-- column: tone_change int? points "Score less that of the quarter before; null if that quarter is missing."
-- column: tone_before number? score "Mean score of up to four calls before; null for the first."
-- column: tone_trend  text? "improving or worsening if the score is five points above or below `tone_before`, otherwise steady; null for the first."
-- column: calls_ago   int count "Calls between this one and the newest: 0 is the newest."
WITH calls AS (
    SELECT symbol,
           period_end,
           call_date,
           tone_score,
           CASE WHEN period_end - LAG(period_end) OVER calls <= 100 THEN tone_score - LAG(tone_score) OVER calls END AS tone_change,
           AVG(tone_score) OVER (PARTITION BY symbol ORDER BY period_end ROWS BETWEEN 4 PRECEDING AND 1 PRECEDING) AS tone_before,
           CAST(ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS BIGINT) - 1 AS calls_ago
    FROM   management_tones
    WHERE  generated_on <= as_of()
    WINDOW calls AS (PARTITION BY symbol ORDER BY period_end)
)
SELECT symbol,
       period_end,
       call_date,
       tone_score,
       CASE WHEN tone_score >= 60 THEN 'positive' WHEN tone_score >= 40 THEN 'neutral' ELSE 'negative' END AS tone,
       tone_change,
       tone_before,
       CASE
           WHEN tone_score - tone_before >= 5  THEN 'improving'
           WHEN tone_score - tone_before <= -5 THEN 'worsening'
           WHEN tone_before IS NOT NULL        THEN 'steady'
       END AS tone_trend,
       calls_ago
FROM   calls
ORDER  BY symbol, period_end
