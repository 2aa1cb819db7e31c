-- Position cover: the cover of a Form 13F in the SEC's data sets.
--
-- staged: cik cik, accession accession, filed_on date, form text, report_date date, amendment text?, manager words?
-- known:  filed_on
-- fills:  investor_positions

SELECT
    cik,
    manager,
    accession,
    report_date,
    filed_on,
    coalesce(upper(amendment) = 'NEW HOLDINGS', false) AND form LIKE '%/A' AS adds,
    CASE
        WHEN starts_with(form, '13F-NT') THEN 'says that there are no records'
        WHEN cik IS NULL THEN 'no filer'
        WHEN report_date IS NULL OR filed_on IS NULL THEN 'bad date'
        WHEN accession IS NULL THEN 'no accession number'
    END AS refused
FROM staged
