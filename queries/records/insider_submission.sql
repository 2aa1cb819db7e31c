-- Insider submission: the company of a submission in the SEC's data sets of Forms 3, 4 and 5, and the day of filing.
--
-- staged: symbol text, ticker text of symbol, accession accession, filed_on date, form words, issuer_cik cik, issuer words?
-- known:  filed_on
-- fills:  insider_trades

SELECT
    accession,
    filed_on,
    form,
    issuer_cik,
    issuer,
    ticker AS symbol,
    CASE
        WHEN accession IS NULL THEN 'no accession number'
        WHEN filed_on IS NULL THEN 'bad date'
    END AS refused
FROM staged
