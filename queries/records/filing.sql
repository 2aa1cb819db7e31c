-- Filing: a submission of a company to the SEC, in its list of submissions or in an index of EDGAR.
--
-- Both have form, date and filer; only the list has the period of a filing, and only indexes have its path in the archives. If a row lacks
-- the filer, it is taken from the file's name. Dates and times stay as the SEC writes them, in New York time.
--
-- staged: accession accession?, path text?, accession_of_path accession_in_path? of path, cik cik, form text, filed_on date, accepted_at text?, report_date date?, items text?, document text?, description text?, sic text?
-- known:  filed_on
-- fills:  sec_filings

WITH filers AS (
    SELECT
        *,
        coalesce(cik, CASE WHEN try_cast(path_word AS bigint) > 0 THEN try_cast(path_word AS bigint) END) AS filer,
        coalesce(accession, accession_of_path) AS number,
        'https://www.sec.gov/Archives' AS archives
    FROM staged
)
SELECT
    filer AS cik,
    number AS accession,
    form,
    filed_on,
    nullif(substr(accepted_at, 1, 19), '') AS accepted_at,
    report_date,
    nullif(replace(items, ' ', ''), '') AS items,
    nullif(description, '') AS description,
    CASE
        WHEN document <> '' THEN archives || '/edgar/data/' || cast(filer AS varchar) || '/' || replace(number, '-', '') || '/' || document
        WHEN path <> '' THEN archives || '/' || path
    END AS url,
    CASE WHEN try_cast(sic AS bigint) BETWEEN 0 AND 65535 THEN try_cast(sic AS bigint) END AS sic,
    CASE
        WHEN form = '' THEN 'no form'
        WHEN filer IS NULL THEN 'no filer'
        WHEN number IS NULL THEN 'no accession number'
        WHEN filed_on IS NULL THEN 'bad date'
    END AS refused
FROM filers
