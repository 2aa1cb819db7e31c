-- Filer: a symbol of a company that files with the SEC.
--
-- staged: symbol symbol, cik cik, name words?

SELECT
    symbol,
    cik,
    name,
    CASE
        WHEN cik IS NULL THEN 'bad number'
        WHEN symbol IS NULL THEN 'no symbol'
    END AS refused
FROM staged
