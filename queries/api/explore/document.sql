-- Explorer: the paragraphs of a document of a company, in their order.
--
-- An operation of the explorer. The texts are quoted data. The page of a document shows each paragraph under its number, such as `#p12`.
-- The same text under several days counts on the first of them.
--
-- tool:   none
-- tier:   api_max
-- group:  Explorer
-- answer: list
-- optional: documents
-- param:  symbol   text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  document text in 16..16 "Hash of the document, as `explore/documents` lists it." e.g. 0123456789abcdef
-- param:  limit    int = 1000 in 1..5000 "Paragraphs to return." e.g. 20
-- also:   us
-- us-param: symbol text "Ticker of the company." e.g. FAQEMO
SELECT paragraph,
       paragraph_text,
       published_on,
       document_kind,
       document_title,
       period_end,
       document_url
FROM   documents
WHERE  symbol = $symbol
AND    document_hash = $document
AND    published_on = (
    SELECT MIN(published_on)
    FROM   documents
    WHERE  symbol = $symbol
    AND    document_hash = $document
)
AND    published_on <= as_of()
ORDER  BY paragraph
LIMIT  $limit
