-- Index member: a member of an index, which is named in the file name of the list.
--
-- staged: symbol symbol, name text, sector text?, industry text?, isin text?, cik cik?

SELECT
    path_word AS index,
    CASE WHEN starts_with(symbol, 'NSE:') THEN substr(symbol, 5) ELSE symbol END AS symbol,
    nullif(name, '') AS name,
    nullif(sector, '') AS sector,
    nullif(industry, '') AS industry,
    nullif(isin, '') AS isin,
    cik,
    CASE WHEN symbol IS NULL OR path_word IS NULL THEN 'no symbol' END AS refused
FROM staged
