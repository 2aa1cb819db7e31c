-- Chat: what companies said, by words, the newest first: sentences of calls, guidance, summaries and orders, and paragraphs of documents.
--
-- Phrases of calls are listed with the times that they were said on the newest call.
-- Without words it lists all sentences, and no paragraph of a document. A sentence is found where it has every word, whatever the capitals;
-- words are matched by their beginning, so that `expan` finds expansion. `source` says where the text is from: of a paragraph the hash of its
-- document and its number, of a sentence that `parquote write` wrote those of the paragraphs on which it rests. The texts are quoted data.
--
-- tool:   none
-- tier:   api_max
-- group:  Chat
-- answer: list
-- optional: ai_summaries, call_decoders, order_wins, earnings, phrase_drift, tone_history, documents, text_evidence
-- india-optional: guidance_tones
-- us-optional: sec_filings
-- param:  q       text? in 2..100 "Words that a sentence must have." e.g. new capacity
-- param:  since   date? "First day; if omitted, a year before the last session." e.g. 2026-01-01
-- param:  until   date? "Last day; if omitted, the last session." e.g. 2026-10-30
-- param:  symbols list? of companies.symbol in 0..50 "Only these symbols, with commas between."
-- param:  limit   int = 15 in 1..100 "Rows to return." e.g. 5
-- column: said_on  date "Day of the call or of the filing."
-- column: text_kind text "guidance, message, outlook, positive, risk, order, phrase, filing, or the kind of a document."
-- column: quote    text "The sentence; of a phrase how often it was said."
-- also:   us
-- us-param: symbols list? of companies.symbol in 0..50 "Only these tickers, with commas between."
-- us-param: q       text? in 2..100 "Words that a sentence must have." e.g. revenue
WITH sentences AS (
    SELECT symbol, COALESCE(call_date, period_end) AS said_on, 'message' AS kind, unnest(top_messages) AS quote, source FROM call_decoders
    UNION ALL
    SELECT symbol, COALESCE(call_date, period_end), 'outlook', outlook, source FROM call_decoders
    UNION ALL
    SELECT symbol, COALESCE(call_date, period_end), 'positive', unnest(key_positives), source FROM ai_summaries
    UNION ALL
    SELECT symbol, COALESCE(call_date, period_end), 'risk', unnest(key_risks), source FROM ai_summaries
    UNION ALL
    SELECT symbol, COALESCE(call_date, period_end), 'outlook', management_outlook, source FROM ai_summaries
    UNION ALL
    SELECT symbol, filed_on, 'order', COALESCE(ai_summary, title), source FROM order_wins
    UNION ALL
    SELECT symbol, COALESCE(call_date, period_end), 'guidance', unnest(guidance), source FROM guidance_tones
),
proofs AS (
    SELECT symbol,
           sentence,
           row_source,
           'document ' || document_hash || '#p' || string_agg(CAST(paragraph AS TEXT), ',p' ORDER BY paragraph) AS place
    FROM   text_evidence
    WHERE  generated_on <= as_of()
    GROUP  BY symbol, sentence, row_source, text_table, text_date, document_hash, text_column
),
-- A sentence may be in texts of two tables, and with another source in those of another quarter.
sources AS (
    SELECT symbol, sentence, row_source, MIN(place) AS source FROM proofs GROUP BY symbol, sentence, row_source
),
texts AS (
    SELECT * FROM sentences WHERE $q IS NULL OR has_words(quote, $q)
    UNION ALL
    SELECT p.symbol, COALESCE(h.call_date, h.period_end), 'phrase',
           p.phrase || ': mentions ' || CAST(p.mentions AS TEXT) || ' on this call, ' || CAST(p.mentions_before AS TEXT) || ' on the one before', d.source
    FROM   phrase_drift p
    JOIN   tone_history h ON h.symbol = p.symbol AND h.calls_ago = 0
    LEFT   JOIN call_decoders d ON d.symbol = p.symbol AND d.period_end = h.period_end
    WHERE  p.mentions > 0
    AND    ($q IS NULL OR has_words(p.phrase, $q))
    UNION ALL
    -- Words are sought in the two columns, which hold few distinct texts, not in what is made of them for each row.
    SELECT symbol, filed_on, 'filing', form || ': ' || title, source
    FROM   sec_filings
    WHERE  symbol IS NOT NULL
    AND    ($q IS NULL OR has_words(form, title, $q))
    UNION ALL
    SELECT symbol, published_on, document_kind, paragraph_text, 'document ' || document_hash || '#p' || CAST(paragraph AS TEXT)
    FROM   documents
    WHERE  has_words(paragraph_text, $q)
)
SELECT t.said_on,
       t.symbol,
       c.company_name,
       t.kind AS text_kind,
       t.quote,
       COALESCE(s.source, t.source) AS source
FROM   texts t
LEFT   JOIN companies c ON c.symbol = t.symbol
LEFT   JOIN sources s ON s.symbol = t.symbol AND s.sentence = t.quote AND s.row_source = t.source
WHERE  t.quote IS NOT NULL
AND    t.said_on <= as_of()
AND    ($until IS NULL OR t.said_on <= $until)
AND    t.said_on >= COALESCE($since, CAST(as_of() - INTERVAL '1 year' AS DATE))
AND    ($symbols IS NULL OR array_has($symbols, t.symbol))
ORDER  BY t.said_on DESC, t.symbol, t.kind, t.quote
LIMIT  $limit
