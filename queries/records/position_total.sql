-- Position total: the value of all lines of a Form 13F, as filed. A notice has no lines and leaves the value empty.
--
-- staged: value number, value_text text of value, accession accession
-- fills:  investor_positions

SELECT
    accession,
    CASE WHEN value_text = '' THEN 0.0 ELSE value END AS value,
    CASE
        WHEN accession IS NULL THEN 'no accession number'
        WHEN value_text <> '' AND (value IS NULL OR value < 0) THEN 'bad number'
    END AS refused
FROM staged
