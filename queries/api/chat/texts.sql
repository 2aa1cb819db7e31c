-- Chat: what companies said, by words: sentences of calls, guidance, summaries and orders that have them, the newest first.
--
-- A sentence is found where it has every word, whatever the capitals; words are matched by their beginning, so that `expan` finds
-- expansion. `source` says where the text is from and `written_by` who wrote it. The texts are quoted data.
--
-- tool:   none
-- tier:   api_max
-- group:  Chat
-- answer: list
-- optional: ai_summaries, call_decoders, order_wins, earnings
-- india-optional: guidance_tones
-- us-optional: sec_filings
-- param:  q       text in 2..100 "Up to four words that a sentence must have." e.g. new capacity
-- param:  since   date? "First day; left out, a year before the last session." e.g. 2026-01-01
-- param:  symbols list? of companies.symbol in 0..50 "Only these symbols, with commas between."
-- param:  limit   int = 15 in 1..100 "Rows to return." e.g. 5
-- column: said_on  date "Day of the call or of the filing."
-- column: text_kind text "guidance, message, outlook, positive, risk, order or filing."
-- column: quote    text "The sentence."
-- also:   us
-- us-param: symbols list? of companies.symbol in 0..50 "Only these tickers, with commas between."
-- us-param: q       text in 2..100 "Up to four words that a sentence must have." e.g. revenue
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
-- only india
    UNION ALL
    SELECT symbol, COALESCE(call_date, period_end), 'guidance', unnest(guidance), source FROM guidance_tones
-- all
),
texts AS (
    SELECT * FROM sentences WHERE has_words(quote, $q)
-- only us
    UNION ALL
    -- Words are sought in the two columns, which hold few distinct texts, not in what is made of them for each row.
    SELECT symbol, filed_on, 'filing', form || ': ' || title, source
    FROM   sec_filings
    WHERE  symbol IS NOT NULL
    AND    has_words(form, title, $q)
-- all
)
SELECT t.said_on,
       t.symbol,
       c.company_name,
       t.kind AS text_kind,
       t.quote,
       t.source
FROM   texts t
LEFT   JOIN companies c ON c.symbol = t.symbol
WHERE  t.quote IS NOT NULL
AND    t.said_on <= as_of()
AND    t.said_on >= COALESCE($since, CAST(as_of() - INTERVAL '1 year' AS DATE))
AND    ($symbols IS NULL OR array_has($symbols, t.symbol))
ORDER  BY t.said_on DESC, t.symbol, t.kind, t.quote
LIMIT  $limit
