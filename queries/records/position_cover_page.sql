-- Position cover page: the manager of a Form 13F in the SEC's data sets, and the kind of an amendment.
--
-- staged: manager words, accession accession, amendment text
-- fills:  investor_positions

SELECT
    accession,
    manager,
    upper(amendment) = 'NEW HOLDINGS' AS adds,
    CASE WHEN accession IS NULL THEN 'no accession number' END AS refused
FROM staged
