-- Summary of a company's quarter from its earnings call: verdict, positives, risks, outlook.
--
-- Analysts or language models write the texts, as `written_by` says; they are no advice.
--
-- tool:   get_ai_quarterly_summary
-- tier:   api_max
-- group:  AI Content
-- answer: one
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXURATECH
-- param:  period period? "Quarter by its last month; if omitted, the latest." e.g. Jun 2026
-- param:  detail text = full in (full, compact) "full for the text, compact for only the names of its sections."
-- column: quarter  text  "Quarter by its last month, such as Jun 2026."
-- column: quarters texts "Quarters of which the company has a text, the newest first."
-- column: section_names texts "Names of the sections, in order."
-- also:   us
-- us-tool:  us_get_ai_quarterly_summary
-- us-tier:  api_pro
-- us-group: US Markets
-- us-names: period = quarter
-- us-param: symbol text "Ticker of the company." e.g. FAQEMO

-- when: detail = compact
-- omit: sector, call_date, headline_verdict, key_positives, key_risks, management_outlook, source, written_by
-- when: detail = full
-- omit: section_names
SELECT t.symbol,
       c.company_name,
       c.sector,
       to_char(t.period_end - 14, '%b %Y') AS quarter,
       t.period_end,
       make_array('headline_verdict', 'key_positives', 'key_risks', 'management_outlook') AS section_names,
       t.call_date,
       t.headline_verdict,
       t.key_positives,
       t.key_risks,
       t.management_outlook,
       q.quarters,
       t.source,
       t.written_by,
       t.generated_on
FROM   ai_summaries t
LEFT   JOIN companies c ON c.symbol = t.symbol
CROSS  JOIN (
    SELECT ARRAY_AGG(to_char(period_end - 14, '%b %Y') ORDER BY period_end DESC) AS quarters
    FROM   ai_summaries
    WHERE  symbol = $symbol
    AND    generated_on <= as_of()
) q
WHERE  t.symbol = $symbol
AND    t.generated_on <= as_of()
AND    ($period IS NULL OR to_char(t.period_end - 14, '%b %Y') = $period)
ORDER  BY t.period_end DESC
LIMIT  1
