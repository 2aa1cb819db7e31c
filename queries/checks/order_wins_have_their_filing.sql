-- A contract that names its filing is among the filings, of the same company and day.
--
-- Filings go back less far than contracts may, so that only those since the company's first filing on file are looked for.
--
-- market: us
-- severity: note
WITH since AS (
  SELECT symbol, min(filed_on) AS filed_on
  FROM   sec_filings
  GROUP  BY symbol
)
SELECT o.symbol, o.filed_on, o.accession, f.symbol AS filed_by, f.filed_on AS filing_date, f.form
FROM   order_wins AS o
       JOIN since AS s ON s.symbol = o.symbol AND s.filed_on <= o.filed_on
       LEFT JOIN sec_filings AS f ON f.accession = o.accession AND f.symbol = o.symbol
WHERE  o.accession IS NOT NULL
  AND  (f.accession IS NULL OR f.filed_on <> o.filed_on OR f.form NOT LIKE '8-K%')
ORDER  BY o.symbol, o.filed_on, o.accession
