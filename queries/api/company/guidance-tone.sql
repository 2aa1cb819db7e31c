-- Tone of a company's management on its earnings calls, and its guidance: a call each, the newest first.
--
-- 60 and more is positive, 40 to 59 neutral, below 40 negative. The trajectory holds a call against the mean of up to four calls before it
-- and is improving or worsening from five points on. Scores are read by analysts or language models and are no advice.
--
-- tool:   get_guidance_tone
-- tier:   api_pro
-- group:  Company Intel
-- answer: list
-- param:  symbol  text "Symbol of the company on NSE." e.g. BAQIDAFILM
-- column: quarter text "Quarter by its last month, such as Jun 2026."
-- column: tone            text           "positive from 60, negative below 40, otherwise neutral."
-- column: tone_change     int? points    "Score less that of the call before."
-- column: tone_before     number? score  "Mean score of up to four calls before."
-- column: tone_trajectory text?          "improving, steady or worsening against the calls before; null for the first."
-- column: source  text
WITH calls AS (
    SELECT *,
           LAG(tone_score) OVER (ORDER BY period_end) AS score_before,
           AVG(tone_score) OVER (ORDER BY period_end ROWS BETWEEN 4 PRECEDING AND 1 PRECEDING) AS tone_before
    FROM   guidance_tones
    WHERE  symbol = $symbol
)
SELECT t.symbol,
       c.company_name,
       to_char(t.period_end - 14, '%b %Y') AS quarter,
       t.period_end,
       t.call_date,
       t.tone_score,
       CASE WHEN t.tone_score >= 60 THEN 'positive' WHEN t.tone_score < 40 THEN 'negative' ELSE 'neutral' END AS tone,
       t.tone_score - t.score_before AS tone_change,
       t.tone_before,
       CASE
           WHEN t.tone_score - t.tone_before >= 5  THEN 'improving'
           WHEN t.tone_score - t.tone_before <= -5 THEN 'worsening'
           WHEN t.tone_before IS NOT NULL          THEN 'steady'
       END AS tone_trajectory,
       t.guidance_change,
       t.guidance,
       t.confidence,
       COALESCE(t.source, 'earnings call') AS source,
       t.written_by
FROM   calls t
LEFT   JOIN companies c ON c.symbol = t.symbol
ORDER  BY t.period_end DESC
