-- Index prices: the prices of an index in a session.
--
-- A column `market` has `Y` for an index, and another letter for a security, whose prices are in other files. If day and month of a row are
-- swapped, the date in the name of the file is used.
--
-- staged: index text, open number, high number, low number, close number, date date?, has_date text? of date, market text?
-- known:  date

WITH dated AS (
    SELECT
        *,
        CASE WHEN has_date IS NULL THEN path_date ELSE date END AS written,
        0.001 * high + 0.005 AS slack
    FROM staged
),
judged AS (
    SELECT
        *,
        extract(year FROM written) = extract(year FROM path_date) AND extract(month FROM written) = extract(day FROM path_date)
            AND extract(day FROM written) = extract(month FROM path_date) AND written <> path_date AS is_swapped
    FROM dated
)
SELECT
    -- Lists of members write names like this.
    upper(regexp_replace(index, '[^A-Za-z0-9]', '', 'g')) AS index,
    open,
    high,
    low,
    close,
    CASE WHEN is_swapped THEN path_date ELSE written END AS date,
    CASE WHEN is_swapped THEN written END AS misdated,
    CASE
        WHEN market <> 'Y' THEN 'not an index'
        WHEN index = '' THEN 'no symbol'
        WHEN open IS NULL OR high IS NULL OR low IS NULL OR close IS NULL THEN 'bad number'
        WHEN least(open, high, low, close) <= 0 THEN 'price not positive'
        -- Each figure may be rounded by itself.
        WHEN high < low OR greatest(open, close) > high + slack OR least(open, close) < low - slack THEN 'prices contradict each other'
        WHEN written IS NULL THEN 'bad date'
    END AS refused
FROM judged
