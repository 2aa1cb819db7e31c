-- Own sector: sector and industry of a company in a user-written file.
--
-- India's lists have no industries: their `Industry` is the column `sector` here. A sector may be named as in any classification that
-- lists of the market use.
--
-- staged: symbol symbol, industry text?, sector text?

SELECT
    CASE WHEN starts_with(symbol, 'NSE:') THEN substr(symbol, 5) ELSE symbol END AS symbol,
    nullif(sector, '') AS sector,
    nullif(industry, '') AS industry,
    CASE WHEN symbol IS NULL THEN 'no symbol' END AS refused
FROM staged
