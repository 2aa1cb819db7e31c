-- Chat: how many texts of some companies can be searched, and of how many companies there are any.
--
-- Texts are decoded calls, summaries, guidance, orders, filings and documents, as `chat/texts` searches them.
--
-- tool:   none
-- tier:   api_max
-- group:  Chat
-- answer: list
-- optional: ai_summaries, call_decoders, order_wins, documents
-- india-optional: guidance_tones
-- us-optional: sec_filings
-- param:  symbols list of companies.symbol in 1..50 "Symbols with commas between them." e.g. BAXIPAPOWR
-- column: texts_on_file  int count "Texts of the company that can be searched; with 0, no word can be found."
-- column: newest_text_on date?     "Day of the newest of them."
-- column: calls_on_file  int count "Calls among them."
-- column: companies_with_calls int count "Companies of the market of which there is a call."
-- also:   us
-- us-param: symbols list of companies.symbol in 1..50 "Tickers with commas between them." e.g. BAQEBO
WITH texts AS (
    SELECT symbol, COALESCE(call_date, period_end) AS said_on, TRUE AS is_call FROM call_decoders
    UNION ALL
    SELECT symbol, COALESCE(call_date, period_end), FALSE FROM ai_summaries
    UNION ALL
    SELECT symbol, filed_on, FALSE FROM order_wins
    UNION ALL
    SELECT symbol, COALESCE(call_date, period_end), FALSE FROM guidance_tones
    UNION ALL
    SELECT symbol, filed_on, FALSE FROM sec_filings WHERE array_has($symbols, symbol)
    UNION ALL
    SELECT symbol, published_on, FALSE FROM documents WHERE paragraph = 1 AND array_has($symbols, symbol)
),
callers AS (
    SELECT COUNT(DISTINCT symbol) AS company_count FROM call_decoders
)
SELECT c.symbol,
       COUNT(t.said_on)                         AS texts_on_file,
       MAX(t.said_on)                           AS newest_text_on,
       COUNT(*) FILTER (WHERE t.is_call)        AS calls_on_file,
       MAX(n.company_count)                     AS companies_with_calls
FROM   companies c
CROSS  JOIN callers n
LEFT   JOIN texts t ON t.symbol = c.symbol AND t.said_on <= as_of()
WHERE  array_has($symbols, c.symbol)
GROUP  BY c.symbol
ORDER  BY MIN(array_position($symbols, c.symbol))
