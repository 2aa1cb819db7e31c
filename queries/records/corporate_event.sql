-- Corporate event: an announced corporate action of common stock with its purpose in words, dividends included.
--
-- A date that may have its day or its month first is read only if it is near to the date of the file: files list the events of the next
-- ten days, and the bound is wide.
--
-- staged:    symbol symbol, series text, ex_date date, is_ambiguous ambiguous of ex_date, record_date date, purpose text
-- announced: ex_date

SELECT
    symbol,
    ex_date,
    record_date,
    purpose,
    CASE
        WHEN series NOT IN ('EQ', 'BE', 'BZ') THEN 'series is not common stock'
        WHEN ex_date IS NULL THEN 'bad date'
        WHEN is_ambiguous AND ex_date NOT BETWEEN path_date - INTERVAL '7 days' AND path_date + INTERVAL '60 days'
            THEN 'date may have its day or its month first'
        WHEN symbol IS NULL THEN 'no symbol'
    END AS refused
FROM staged
