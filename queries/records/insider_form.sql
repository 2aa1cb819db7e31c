-- Insider form: a transaction of an insider, with the facts of its form.
--
-- The day of filing of forms without their submission is that of the signature. The accession number may be in the file's path.
-- Code P is a purchase, S a sale. A price that is in a footnote has an empty cell.
--
-- staged: symbol text?, ticker text? of symbol, code text, traded_on date, shares number, price number, price_text text of price, filed_on date, filed_on_text text of filed_on, accession accession?, form words?, issuer_cik cik?, issuer words?, person_ciks words?, person words?, category words?, title words?, security words?, acquired text?, held_after number?, held_after_text text? of held_after, ownership text?, footnotes words?
-- known:  filed_on
-- fills:  insider_trades

SELECT
    coalesce(ticker, '') AS symbol,
    issuer_cik,
    issuer,
    coalesce(accession, path_word) AS accession,
    form,
    filed_on,
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
        WHEN filed_on_text = '' THEN 'no date of filing'
        WHEN filed_on IS NULL THEN 'bad date'
        WHEN shares IS NULL OR shares < 0 THEN 'neither number nor value'
        WHEN price_text <> '' AND (price IS NULL OR price < 0) THEN 'bad number'
        WHEN held_after_text <> '' AND (held_after IS NULL OR held_after < 0) THEN 'bad number'
    END AS refused
FROM staged
