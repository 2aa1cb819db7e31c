-- Profile of a company in ten sections, from its business model to the bull and bear case.
--
-- Analysts or language models write the texts, as `written_by` says; they are no advice.
--
-- tool:   get_ai_company_profile
-- tier:   api_max
-- group:  AI Content
-- answer: one
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXURATECH
-- param:  period period? "Quarter by its last month; if omitted, the latest." e.g. Jun 2026
-- param:  detail text = full in (full, compact) "full for the text, compact for only the names of its sections."
-- column: quarter  text  "Quarter by its last month, such as Jun 2026."
-- column: section_names texts "Names of the sections, in order."
-- column: sections rows "The sections, in order."
-- column: quarters texts "Quarters of which the company has a text, the newest first."
-- also:   us
-- us-tool:  us_get_ai_company_profile
-- us-group: US Markets
-- us-names: period = quarter
-- us-param: symbol text "Ticker of the company." e.g. FAQEMO

-- when: detail = compact
-- omit: sector, industry, sections, source, written_by
-- when: detail = full
-- omit: section_names
SELECT t.symbol,
       c.company_name,
       c.sector,
       c.industry,
       to_char(t.period_end - 14, '%b %Y') AS quarter,
       t.period_end,
       t.section_names,
       t.sections,
       q.quarters,
       t.source,
       t.written_by,
       t.generated_on
FROM   (
    SELECT symbol,
           period_end,
           NULLIF(ARRAY_TO_STRING(ARRAY_AGG(DISTINCT source ORDER BY source), ', '), '') AS source,
           MAX(written_by)   AS written_by,
           MAX(generated_on) AS generated_on,
           ARRAY_AGG(section ORDER BY position) AS section_names,
           ARRAY_AGG(named_struct('section', section, 'text', text) ORDER BY position) AS sections
    FROM   ai_profiles
    WHERE  symbol = $symbol
    AND    generated_on <= as_of()
    GROUP  BY symbol, period_end
) t
LEFT   JOIN companies c ON c.symbol = t.symbol
CROSS  JOIN (
    SELECT ARRAY_AGG(quarter ORDER BY period_end DESC) AS quarters
    FROM   (SELECT DISTINCT period_end, to_char(period_end - 14, '%b %Y') AS quarter FROM ai_profiles WHERE symbol = $symbol AND generated_on <= as_of()) held
) q
WHERE  t.symbol = $symbol
AND    ($period IS NULL OR to_char(t.period_end - 14, '%b %Y') = $period)
ORDER  BY t.period_end DESC
LIMIT  1
