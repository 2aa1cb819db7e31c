-- Insider transaction: a transaction in the SEC's data sets of Forms 3, 4 and 5.
--
-- The day of filing is in another table; a transaction is not known before it is made.
-- Code P is a purchase, S a sale. A price that is in a footnote has an empty cell.
--
-- staged: symbol text?, ticker text? of symbol, code text, traded_on date, shares number, price number, price_text text of price, accession accession?, form words?, issuer_cik cik?, issuer words?, person_ciks words?, person words?, category words?, title words?, security words?, acquired text?, held_after number?, held_after_text text? of held_after, ownership text?, footnotes words?
-- known:  traded_on
-- fills:  insider_trades

SELECT
    coalesce(ticker, '') AS symbol,
    issuer_cik,
    issuer,
    accession AS accession,
    form,
    traded_on,
    person,
    person_ciks,
    category,
    title,
    security,
    upper(code) AS code,
    shares,
    price,
    -- Without the form's word, codes that imply it.
    CASE
        WHEN upper(acquired) IN ('A', 'D') THEN upper(acquired) = 'A'
        WHEN upper(code) IN ('P', 'A') THEN true
        WHEN upper(code) IN ('S', 'F', 'D') THEN false
    END AS is_acquired,
    held_after,
    upper(nullif(ownership, '')) = 'I' AS is_indirect,
    footnotes,
    CASE
        WHEN code = '' THEN 'says that there are no records'
        WHEN traded_on IS NULL THEN 'bad date'
        WHEN shares IS NULL OR shares < 0 THEN 'neither number nor value'
        WHEN price_text <> '' AND (price IS NULL OR price < 0) THEN 'bad number'
        WHEN held_after_text <> '' AND (held_after IS NULL OR held_after < 0) THEN 'bad number'
        WHEN accession IS NULL THEN 'no accession number'
    END AS refused
FROM staged
