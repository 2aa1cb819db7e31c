-- Former name: a name that a company gave up, with the first day under another one.
--
-- staged: symbol symbol, name words, until date

SELECT
    symbol,
    coalesce(name, '') AS name,
    until,
    CASE
        WHEN symbol IS NULL THEN 'no symbol'
        WHEN until IS NULL THEN 'bad date'
    END AS refused
FROM staged
