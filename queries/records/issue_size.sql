-- Issue size: the number of shares that a company has issued by a day.
--
-- A market cap in the same row is that of the file's day and not read: market caps are computed from the bar's close.
--
-- staged: symbol symbol, date date, series text, shares number, name text?
-- known:  date

SELECT
    symbol,
    date,
    shares,
    nullif(name, '') AS name,
    CASE
        WHEN series NOT IN ('EQ', 'BE', 'BZ') THEN 'series is not common stock'
        WHEN shares IS NULL OR shares <= 0 THEN 'bad number'
        WHEN symbol IS NULL THEN 'no symbol'
        WHEN date IS NULL THEN 'bad date'
        WHEN date <> path_date THEN 'not of the day in the name of the file'
    END AS refused
FROM staged
