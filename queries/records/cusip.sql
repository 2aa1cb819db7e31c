-- CUSIP: the symbol of a security. Leading zeros of a CUSIP may be missing.
--
-- staged: symbol symbol, cusip text

SELECT
    symbol,
    repeat('0', 9 - length(cusip)) || upper(cusip) AS cusip,
    CASE
        WHEN cusip = '' THEN 'no CUSIP'
        WHEN symbol IS NULL THEN 'no symbol'
    END AS refused
FROM staged
