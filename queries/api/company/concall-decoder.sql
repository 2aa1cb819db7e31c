-- An earnings call taken apart: tone, top messages, dodged topics, tone shifts, key numbers, outlook, investor lens.
--
-- Analysts or language models write the texts, as `written_by` says; they are no advice. Key numbers are as management stated them.
--
-- tool:   get_concall_decoder
-- tier:   api_max
-- group:  AI Content
-- answer: one
-- optional: call_numbers, tone_history
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXURATECH
-- param:  period period? "Quarter by its last month; if omitted, the latest." e.g. Jun 2026
-- param:  detail text = full in (full, compact) "full for the text, compact for only the names of its sections."
-- column: quarter  text  "Quarter by its last month, such as Jun 2026."
-- column: quarters texts "Quarters of which the company has a text, the newest first."
-- column: section_names texts "Names of the sections, in order."
-- column: key_numbers rows "Figures that management stated on the call, in their order."
-- also:   us
-- us-tool:  us_get_concall_decoder
-- us-group: US Markets
-- us-names: period = quarter
-- us-param: symbol text "Ticker of the company." e.g. FAQEMO

-- when: detail = compact
-- omit: sector, call_date, tone_score, tone, tone_read, top_messages, dodged_topics, tone_shifts, key_numbers, outlook, investor_lens, source, written_by
-- when: detail = full
-- omit: section_names
SELECT t.symbol,
       c.company_name,
       c.sector,
       to_char(t.period_end - 14, '%b %Y') AS quarter,
       t.period_end,
       make_array('tone_read', 'top_messages', 'dodged_topics', 'tone_shifts', 'key_numbers', 'outlook', 'investor_lens') AS section_names,
       t.call_date,
       h.tone_score,
       h.tone,
       t.tone_read,
       t.top_messages,
       t.dodged_topics,
       t.tone_shifts,
       n.key_numbers,
       t.outlook,
       t.investor_lens,
       q.quarters,
       t.source,
       t.written_by,
       t.generated_on
FROM   call_decoders t
LEFT   JOIN companies c ON c.symbol = t.symbol
LEFT   JOIN (SELECT * FROM tone_history WHERE $detail = 'full') h ON h.symbol = t.symbol AND h.period_end = t.period_end
LEFT   JOIN (
    SELECT period_end,
           ARRAY_AGG(named_struct(
               'metric', metric,
               'metric_value', metric_value,
               'metric_unit', metric_unit,
               'change_yoy_pct', change_yoy_pct,
               'change_yoy_points', change_yoy_points
           ) ORDER BY position) AS key_numbers
    FROM   call_numbers
    WHERE  symbol = $symbol
    AND    $detail = 'full'
    GROUP  BY period_end
) n ON n.period_end = t.period_end
CROSS  JOIN (
    SELECT ARRAY_AGG(to_char(period_end - 14, '%b %Y') ORDER BY period_end DESC) AS quarters
    FROM   call_decoders
    WHERE  symbol = $symbol
    AND    generated_on <= as_of()
) q
WHERE  t.symbol = $symbol
AND    t.generated_on <= as_of()
AND    ($period IS NULL OR to_char(t.period_end - 14, '%b %Y') = $period)
ORDER  BY t.period_end DESC
LIMIT  1
