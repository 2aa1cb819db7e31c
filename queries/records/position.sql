-- Position: a holding in a Form 13F with the cover above it, or a cover alone.
--
-- The holding is as filed, in dollars or thousands. A principal amount of bonds is no number of shares. Some filers drop the leading zeros
-- of a CUSIP. The accession number may be in the file's path.
--
-- staged: cusip text, accession accession, issuer text, value number, amount number, class words?, amount_type text?, option text?, cik cik, filed_on date, form text, report_date date, amendment text?, manager words?
-- known:  filed_on
-- fills:  investor_positions

SELECT
    cik,
    manager,
    coalesce(accession, path_word) AS accession,
    report_date,
    CASE WHEN cik IS NOT NULL THEN filed_on END AS filed_on,
    coalesce(upper(amendment) = 'NEW HOLDINGS', false) AND form LIKE '%/A' AS adds,
    issuer,
    class,
    repeat('0', 9 - length(cusip)) || upper(nullif(cusip, '')) AS cusip,
    value,
    CASE WHEN amount_type IS DISTINCT FROM 'PRN' THEN amount END AS shares,
    lower(option) AS option,
    CASE
        WHEN starts_with(form, '13F-NT') THEN 'says that there are no records'
        WHEN cik IS NOT NULL AND (report_date IS NULL OR filed_on IS NULL) THEN 'bad date'
        WHEN cusip = '' AND cik IS NULL THEN 'no filer'
        WHEN cusip <> '' AND (amount IS NULL OR amount < 0 OR value IS NULL OR value < 0) THEN 'bad number'
    END AS refused
FROM staged
