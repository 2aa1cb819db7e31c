-- Corporate action: `factor` multiplies prices before the ex-date (a split 1:5 is 0.2); 1 marks a real move that is no action.
--
-- staged:    symbol symbol, ex_date date, action text, factor number
-- announced: ex_date

SELECT
    symbol,
    ex_date,
    action AS words,
    factor,
    CASE
        WHEN factor IS NULL THEN 'bad number'
        WHEN factor <= 0 THEN 'factor is not positive'
        WHEN symbol IS NULL THEN 'no symbol'
        WHEN ex_date IS NULL THEN 'bad date'
    END AS refused
FROM staged
