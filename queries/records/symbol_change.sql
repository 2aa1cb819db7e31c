-- Symbol change: the old symbol of a company, the new one, and the first day under it.
--
-- staged:    old symbol, new symbol, date date
-- announced: date

SELECT
    date,
    old,
    new,
    CASE
        WHEN date IS NULL THEN 'bad date'
        WHEN old IS NULL OR new IS NULL THEN 'no symbol'
        WHEN old = new THEN 'old and new symbol are the same'
    END AS refused
FROM staged
