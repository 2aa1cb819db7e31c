-- Tone of a company's management: the newest call, the scores of earlier calls, and changes of phrases.
--
-- The score is 0 to 100: 60 and more is positive, 40 to 59 neutral, less negative. The trajectory holds up to eight calls. The trend of a
-- call compares its score with the mean of up to four calls before it, shown or not: a difference of five points makes it improving or
-- worsening.
--
-- tool:   get_management_tone
-- tier:   api_pro
-- group:  AI Content
-- answer: one
-- optional: phrase_drift
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXURATECH
-- us-param:  periods int = 4 in 1..8 "Calls in the trajectory, the newest first." e.g. 8
-- column: quarter         text "Quarter by its last month, such as Jun 2026."
-- column: tone_trajectory rows "Score of each call, the newest first."
-- column: phrase_drift    rows? "Phrases of the newest call against the call before, the largest change first; null if there is no call before."
-- also: us
-- us-prose: The score is 0 to 100: 60 and more is positive, 40 to 59 neutral, less negative. The trend of a call compares its score with
-- us-prose: the mean of up to four calls before it, shown or not: a difference of five points makes it improving or worsening.
-- us-tool:   us_get_management_tone
-- us-group:  US Markets
-- us-param:  symbol text "Ticker of the company." e.g. FAQEMO
SELECT t.symbol,
       c.company_name,
       c.sector,
       to_char(t.period_end - 14, '%b %Y') AS quarter,
       t.period_end,
       t.call_date,
       t.tone_score,
       h.tone,
       h.tone_change,
       h.tone_before,
       h.tone_trend,
       t.confidence,
       t.themes,
       p.tone_trajectory,
       d.phrase_drift,
       t.investor_lens,
       t.source,
       t.written_by,
       t.generated_on
FROM   management_tones t
JOIN   tone_history h ON h.symbol = t.symbol AND h.period_end = t.period_end
LEFT   JOIN companies c ON c.symbol = t.symbol
CROSS  JOIN (
    SELECT ARRAY_AGG(named_struct(
               'quarter', to_char(period_end - 14, '%b %Y'),
               'period_end', period_end,
               'call_date', call_date,
               'tone_score', tone_score,
               'tone', tone,
               'tone_change', tone_change,
               'tone_before', tone_before,
               'tone_trend', tone_trend
           ) ORDER BY period_end DESC) AS tone_trajectory
    FROM   tone_history
    WHERE  symbol = $symbol
    AND    calls_ago < COALESCE($periods, 8)
) p
CROSS  JOIN (
    SELECT ARRAY_AGG(named_struct(
               'phrase', phrase,
               'mentions', mentions,
               'mentions_before', mentions_before,
               'mentions_change', mentions_change,
               'drift', drift
           ) ORDER BY abs(mentions_change) DESC, phrase) AS phrase_drift
    FROM   phrase_drift
    WHERE  symbol = $symbol
) d
WHERE  t.symbol = $symbol
AND    h.calls_ago = 0
