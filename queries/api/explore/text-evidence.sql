-- Explorer: the sentences of a company's written texts, each with the paragraphs of the document on which it rests.
--
-- An operation of the explorer. Texts that `parquote write` wrote have evidence; a sentence that a person changed has none, and its paragraph
-- is null. Rows by rules and rows of your own files are left out, and so is a row whose source a person changed. Paragraphs are quoted data.
--
-- tool:   none
-- tier:   api_max
-- group:  Explorer
-- answer: list
-- optional: text_evidence, documents, ai_summaries, ai_profiles, call_decoders, management_tones, order_wins
-- india-optional: guidance_tones, sector_kpis, banking_kpis
-- us-optional: full_reports
-- param:  symbol   text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  table    text? in (ai_summaries, ai_profiles, call_decoders, management_tones, guidance_tones, order_wins, sector_kpis, banking_kpis) "Only texts of this table; if omitted, of all of them." e.g. ai_summaries
-- param:  period   period? "Only texts of this quarter, by its last month." e.g. Jun 2026
-- param:  day      date? "Only texts on filings of this day." e.g. 2026-08-06
-- param:  document text? in 16..16 "Only texts on this document, by its hash." e.g. 0123456789abcdef
-- param:  limit    int = 200 in 1..1000 "Rows to return." e.g. 20
-- column: sentence       text  "Sentence, name or number as its row has it."
-- column: paragraph      int?  "Number of the paragraph in its document."
-- column: paragraph_text text? "Text of the paragraph."
-- column: paragraph_page text? "Page of this server with the paragraph."
-- also:   us
-- us-param: symbol text "Ticker of the company." e.g. FAQEMO
-- us-param: table  text? in (ai_summaries, ai_profiles, call_decoders, management_tones, order_wins, full_reports) "Only texts of this table; if omitted, of all of them." e.g. ai_summaries
WITH evidence AS (
    SELECT *
    FROM   text_evidence
    WHERE  symbol = $symbol
    AND    generated_on <= as_of()
    AND    ($table IS NULL OR text_table = $table)
    AND    ($period IS NULL OR row_title IS NULL AND to_char(text_date - 14, '%b %Y') = $period)
    AND    ($day IS NULL OR row_title IS NOT NULL AND text_date = $day)
    AND    ($document IS NULL OR document_hash = $document)
),
written AS (
    SELECT DISTINCT symbol, text_table, text_date, row_title, row_source, document_hash, published_on FROM evidence
),
orders AS (
    SELECT * FROM order_wins WHERE symbol = $symbol
    UNION ALL BY NAME
    SELECT NULL AS contract_type, NULL AS value_cr, NULL AS value_usd_m, NULL AS execution_months WHERE FALSE
),
texts AS (
    SELECT 'ai_summaries' AS text_table,
           period_end AS text_date,
           CAST(NULL AS TEXT) AS row_title,
           source AS row_source,
           make_array('headline_verdict', 'key_positives', 'key_risks', 'management_outlook') AS names,
           make_array(make_array(headline_verdict), key_positives, key_risks, make_array(management_outlook)) AS cells
    FROM   ai_summaries
    WHERE  symbol = $symbol
    UNION ALL
    SELECT 'call_decoders',
           period_end,
           NULL,
           source,
           make_array('tone_read', 'top_messages', 'dodged_topics', 'tone_shifts', 'outlook', 'investor_lens'),
           make_array(make_array(tone_read), top_messages, dodged_topics, tone_shifts, make_array(outlook), make_array(investor_lens))
    FROM   call_decoders
    WHERE  symbol = $symbol
    UNION ALL
    SELECT 'management_tones',
           period_end,
           NULL,
           source,
           make_array('themes', 'investor_lens'),
           make_array(themes, make_array(investor_lens))
    FROM   management_tones
    WHERE  symbol = $symbol
    UNION ALL
    SELECT 'guidance_tones',
           period_end,
           NULL,
           source,
           make_array('guidance_change', 'guidance'),
           make_array(make_array(guidance_change), guidance)
    FROM   guidance_tones
    WHERE  symbol = $symbol
    UNION ALL
    SELECT 'order_wins',
           filed_on,
           title,
           source,
           make_array('contract_type', 'value_cr', 'value_usd_m', 'client', 'segment', 'geography', 'execution_months', 'ai_summary'),
           make_array(
               make_array(contract_type),
               make_array(CAST(value_cr AS TEXT)),
               make_array(CAST(value_usd_m AS TEXT)),
               make_array(client),
               make_array(segment),
               make_array(geography),
               make_array(CAST(execution_months AS TEXT)),
               make_array(ai_summary)
           )
    FROM   orders
    UNION ALL
    SELECT 'full_reports',
           period_end,
           NULL,
           source,
           make_array(
               'headline', 'executive_summary', 'business_overview', 'financial_review', 'market_position', 'management_view', 'catalysts',
               'key_risks', 'conclusion'
           ),
           make_array(
               make_array(headline),
               make_array(executive_summary),
               make_array(business_overview),
               make_array(financial_review),
               make_array(market_position),
               make_array(management_view),
               catalysts,
               key_risks,
               make_array(conclusion)
           )
    FROM   full_reports
    WHERE  symbol = $symbol
    UNION ALL
    SELECT 'banking_kpis',
           period_end,
           NULL,
           source,
           make_array(
               'lender_type', 'advances_cr', 'deposits_cr', 'nii_cr', 'nim_pct', 'casa_pct', 'gnpa_pct', 'nnpa_pct', 'pcr_pct', 'slippage_pct',
               'credit_cost_pct', 'credit_deposit_pct', 'cost_to_income_pct', 'capital_adequacy_pct'
           ),
           make_array(
               make_array(lender_type),
               make_array(CAST(advances_cr AS TEXT)),
               make_array(CAST(deposits_cr AS TEXT)),
               make_array(CAST(nii_cr AS TEXT)),
               make_array(CAST(nim_pct AS TEXT)),
               make_array(CAST(casa_pct AS TEXT)),
               make_array(CAST(gnpa_pct AS TEXT)),
               make_array(CAST(nnpa_pct AS TEXT)),
               make_array(CAST(pcr_pct AS TEXT)),
               make_array(CAST(slippage_pct AS TEXT)),
               make_array(CAST(credit_cost_pct AS TEXT)),
               make_array(CAST(credit_deposit_pct AS TEXT)),
               make_array(CAST(cost_to_income_pct AS TEXT)),
               make_array(CAST(capital_adequacy_pct AS TEXT))
           )
    FROM   banking_kpis
    WHERE  symbol = $symbol
),
cells AS (
    SELECT text_table, text_date, row_title, row_source, names, unnest(names) AS text_column, unnest(cells) AS cell FROM texts
),
sentences AS (
    SELECT text_table,
           text_date,
           row_title,
           row_source,
           array_position(names, text_column) AS place,
           text_column,
           cell,
           unnest(cell) AS sentence
    FROM   cells
    UNION ALL
    -- A section has a sentence on each line.
    SELECT 'ai_profiles',
           period_end,
           NULL,
           source,
           position,
           section,
           string_to_array(text, chr(10)),
           unnest(string_to_array(text, chr(10)))
    FROM   ai_profiles
    WHERE  symbol = $symbol
    UNION ALL
    SELECT 'sector_kpis', period_end, NULL, source, 1, kpi, NULL, CAST(kpi_value AS TEXT) FROM sector_kpis WHERE symbol = $symbol
    UNION ALL
    -- The signs that a score counts are in no row.
    SELECT DISTINCT e.text_table,
                    e.text_date,
                    e.row_title,
                    e.row_source,
                    CASE e.text_column WHEN 'positive' THEN 9 ELSE 10 END,
                    e.text_column,
                    NULL,
                    e.sentence
    FROM   evidence e
    JOIN   texts t ON t.text_table = e.text_table
                  AND t.text_date = e.text_date
                  AND COALESCE(t.row_title, '') = COALESCE(e.row_title, '')
                  AND COALESCE(t.row_source, '') = COALESCE(e.row_source, '')
    WHERE  e.text_column IN ('positive', 'negative')
)
SELECT w.symbol,
       s.text_table,
       w.text_date,
       w.row_title,
       s.text_column,
       s.sentence,
       e.paragraph,
       d.paragraph_text,
       w.document_hash,
       '/' || market() || '/company/' || w.symbol || '/document?document=' || w.document_hash || '#p' || CAST(e.paragraph AS TEXT) AS paragraph_page
FROM   written w
JOIN   sentences s ON s.text_table = w.text_table
                   AND s.text_date = w.text_date
                   AND COALESCE(s.row_title, '') = COALESCE(w.row_title, '')
                   AND COALESCE(s.row_source, '') = COALESCE(w.row_source, '')
LEFT   JOIN evidence e ON e.text_table = w.text_table
                       AND e.text_date = w.text_date
                       AND e.document_hash = w.document_hash
                       AND e.text_column = s.text_column
                       AND e.sentence = s.sentence
LEFT   JOIN documents d ON d.symbol = w.symbol
                        AND d.document_hash = w.document_hash
                        AND d.published_on = w.published_on
                        AND d.paragraph = e.paragraph
WHERE  s.sentence IS NOT NULL
ORDER  BY w.text_date DESC,
          s.text_table,
          w.row_title,
          w.document_hash,
          s.place,
          s.text_column,
          array_position(s.cell, s.sentence),
          s.sentence,
          e.paragraph
LIMIT  $limit
