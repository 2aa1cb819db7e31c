-- Tone of a company's management on its earnings calls, and its guidance: a row for each call, the newest first.
--
-- A score of 60 or more is positive, 40 to 59 neutral, below 40 negative. The trend compares a call's score with the mean of up to four
-- calls before it: a difference of five points makes it improving or worsening. Analysts or language models give the scores; they are no
-- advice.
--
-- tool:   get_guidance_tone
-- tier:   api_pro
-- group:  Company Intel
-- answer: list
-- param:  symbol  text "Symbol of the company on NSE." e.g. BAQIDAFILM
-- column: quarter text "Quarter by its last month, such as Jun 2026."
WITH calls AS (
    SELECT *,
           CASE WHEN period_end - LAG(period_end) OVER calls <= 100 THEN tone_score - LAG(tone_score) OVER calls END AS tone_change,
           AVG(tone_score) OVER (ORDER BY period_end ROWS BETWEEN 4 PRECEDING AND 1 PRECEDING) AS tone_before
    FROM   guidance_tones
    WHERE  symbol = $symbol
    AND    COALESCE(call_date, period_end) <= as_of()
    WINDOW calls AS (ORDER BY period_end)
)
SELECT t.symbol,
       c.company_name,
       to_char(t.period_end - 14, '%b %Y') AS quarter,
       t.period_end,
       t.call_date,
       t.tone_score,
       CASE WHEN t.tone_score >= 60 THEN 'positive' WHEN t.tone_score >= 40 THEN 'neutral' ELSE 'negative' END AS tone,
       t.tone_change,
       t.tone_before,
       CASE
           WHEN t.tone_score - t.tone_before >= 5  THEN 'improving'
           WHEN t.tone_score - t.tone_before <= -5 THEN 'worsening'
           WHEN t.tone_before IS NOT NULL          THEN 'steady'
       END AS tone_trend,
       t.guidance_change,
       t.guidance,
       t.confidence,
       t.source,
       t.written_by
FROM   calls t
LEFT   JOIN companies c ON c.symbol = t.symbol
ORDER  BY t.period_end DESC
