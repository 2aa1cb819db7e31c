-- Documents: press releases, transcripts, presentations, announcements and filings as text, one row for each paragraph.
--
-- Symbol, kind, day and period are those that a `documents.csv` beside the file lists, otherwise those in its path, otherwise those that the
-- text states. The day that a text states counts for press releases, transcripts and announcements only: other documents name days before
-- their publication.
--
-- key:    symbol, published_on, document_hash, paragraph
-- known:  published_on
-- sorted: symbol, published_on, document_hash, paragraph
-- source: staged
-- filled-by: "documents" india
-- filled-by: "documents" us fetch=documents
-- staged: paragraph number, paragraph_text words, document_hash text, title_said words, symbol_said symbol, kind_said words, day_said date, period_said date, day_filed date, symbol_listed symbol, kind_listed words, day_listed date, day_written words of day_listed, period_listed date, period_written words of period_listed, title_listed words, url_listed words, symbol_in_path symbol, kind_in_path words
-- column: symbol         text
-- column: published_on   date "Day on which the document was published."
-- column: document_hash  text "Hash over the text of the document, 16 hexadecimal digits."
-- column: paragraph      int in 1.. "Number of the paragraph in its document."
-- column: paragraph_text text "Text of the paragraph."
-- column: document_kind  text in (transcript, press_release, presentation, announcement, 8-K, 10-K, 10-Q) "transcript, press_release, presentation, announcement, 8-K, 10-K or 10-Q."
-- column: period_end     date?
-- column: document_title text? "Title of the document: that of its page, or its first words."
-- column: document_url   text? "Address from which the document was saved."
-- column: source         text?
SELECT symbol,
       published_on,
       document_hash,
       try_cast(round(paragraph) AS bigint) AS paragraph,
       paragraph_text,
       document_kind,
       -- A period that ends later is one of a forecast.
       CASE WHEN period_end <= published_on THEN period_end END AS period_end,
       COALESCE(title_listed, title_said) AS document_title,
       url_listed AS document_url,
       CASE
           WHEN paragraph_text IS NULL THEN 'paragraph without words'
           WHEN day_written IS NOT NULL AND day_listed IS NULL OR period_written IS NOT NULL AND period_listed IS NULL THEN 'bad date'
           WHEN kind_listed IS NOT NULL AND document_kind IS NULL THEN 'unknown kind of document'
           WHEN symbol IS NULL OR document_kind IS NULL OR published_on IS NULL THEN 'the document cannot be placed: ' || CONCAT_WS(
               ', ',
               CASE WHEN symbol IS NULL THEN 'no symbol' END,
               CASE WHEN document_kind IS NULL THEN 'no kind' END,
               CASE WHEN published_on IS NULL THEN 'no day' END
           )
       END AS refused
FROM (
    SELECT *,
           COALESCE(
               day_listed,
               day_filed,
               path_date,
               CASE WHEN document_kind IN ('press_release', 'transcript', 'announcement') THEN day_said END
           ) AS published_on
    FROM (
        SELECT *,
               COALESCE(symbol_listed, symbol_in_path, symbol_said) AS symbol,
               COALESCE(period_listed, period_said) AS period_end,
               CASE replace(replace(lower(COALESCE(kind_listed, kind_in_path, kind_said)), '-', '_'), ' ', '_')
                   WHEN 'transcript'    THEN 'transcript'
                   WHEN 'press_release' THEN 'press_release'
                   WHEN 'presentation'  THEN 'presentation'
                   WHEN 'announcement'  THEN 'announcement'
                   WHEN '8_k'           THEN '8-K'
                   WHEN '10_k'          THEN '10-K'
                   WHEN '10_q'          THEN '10-Q'
               END AS document_kind
        FROM   staged
    ) named
) placed
