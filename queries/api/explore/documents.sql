-- Explorer: documents of a company, the newest first: press releases, transcripts, presentations, announcements and filings.
--
-- An operation of the explorer. A market without documents among its raw files has none.
--
-- tool:   none
-- tier:   api_max
-- group:  Explorer
-- answer: list
-- optional: documents
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  limit  int = 50 in 1..500 "Rows to return." e.g. 20
-- column: paragraphs int count "Paragraphs of the document."
-- also:   us
-- us-param: symbol text "Ticker of the company." e.g. FAQEMO
SELECT symbol,
       published_on,
       document_kind,
       MAX(document_title) AS document_title,
       MAX(period_end)     AS period_end,
       COUNT(*)            AS paragraphs,
       MAX(document_url)   AS document_url,
       document_hash
FROM   documents
WHERE  symbol = $symbol
AND    published_on <= as_of()
GROUP  BY symbol, published_on, document_kind, document_hash
ORDER  BY published_on DESC, document_kind, document_hash
LIMIT  $limit
