-- Position line: a holding in a Form 13F of the SEC's data sets, as filed, in dollars or thousands.
--
-- A principal amount of bonds is no number of shares. Some filers drop the leading zeros of a CUSIP.
--
-- staged: cusip text, accession accession, issuer text, value number, amount number, class words?, amount_type text?, option text?
-- fills:  investor_positions

SELECT
    accession,
    issuer,
    class,
    repeat('0', 9 - length(cusip)) || upper(cusip) AS cusip,
    value,
    CASE WHEN amount_type IS DISTINCT FROM 'PRN' THEN amount END AS shares,
    lower(option) AS option,
    CASE
        WHEN cusip = '' THEN 'no CUSIP'
        WHEN amount IS NULL OR amount < 0 OR value IS NULL OR value < 0 THEN 'bad number'
    END AS refused
FROM staged
