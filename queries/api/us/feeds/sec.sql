-- Filings with the SEC, of all companies or of one, the newest first.
--
-- A form includes its amendments. Dates and times are those of New York. A company with several classes of shares is listed under its main
-- one.
--
-- tool:   us_get_sec_feed
-- tier:   api_max
-- group:  US Markets
-- answer: list
-- param:  symbol    text?                                "Ticker of the company; without it, of all companies." e.g. BAQEBO
-- param:  form_type text = 8-K in (8-K, 10-K, 10-Q, all) "Form to keep."
-- param:  days      int = 14 in 1..90                    "Calendar days to look back from the market's date." e.g. 90
-- param:  limit     int = 25 in 1..50                    "Rows to return." e.g. 5
-- column: url text "Address of the filing's index page at the SEC, made from the numbers of the filing; an invented filing has no such page."
SELECT f.symbol,
       c.company_name,
       c.sector,
       f.form,
       f.title,
       f.items,
       f.filed_on,
       f.accepted_at,
       f.report_date,
       f.cik,
       f.accession,
       f.document,
       concat('https://www.sec.gov/Archives/edgar/data/', ltrim(f.cik, '0'), '/', replace(f.accession, '-', ''), '/', f.accession, '-index.htm') AS url,
       f.source
FROM   sec_filings f
LEFT   JOIN companies c ON c.symbol = f.symbol
WHERE  f.filed_on >= as_of() - $days
AND    f.filed_on <= as_of()
AND    ($symbol IS NULL OR f.symbol = $symbol)
AND    ($form_type = 'all' OR f.form = $form_type OR f.form = concat($form_type, '/A'))
ORDER  BY f.filed_on DESC, f.accepted_at DESC NULLS LAST, f.accession, f.cik
LIMIT  $limit
