-- Listed company: a company in a list of an exchange.
--
-- Lists of other instruments (trusts, close-ended funds) have the same header as those of companies. Their rows are refused one by one: by
-- their series, or by an ISIN that is not one of an Indian share (`INE`, or `IN9` for partly paid and differential ones), or one of the
-- kinds of security that trusts issue under a company's ISIN (`23`, `25`). Without a column the exchange is the one in the file's name.
--
-- staged: symbol symbol, name text?, sector text?, industry text?, isin text?, exchange text?, series text?, since date?, since_text text? of since, market_cap money?, market_cap_text text? of market_cap, price money?, price_text text? of price

SELECT
    CASE WHEN starts_with(symbol, 'NSE:') THEN substr(symbol, 5) ELSE symbol END AS symbol,
    nullif(name, '') AS name,
    nullif(sector, '') AS sector,
    nullif(industry, '') AS industry,
    nullif(isin, '') AS isin,
    coalesce(nullif(exchange, ''), path_word) AS exchange,
    nullif(series, '') AS series,
    since,
    CASE WHEN market_cap > 0 THEN market_cap END AS market_cap,
    CASE WHEN price > 0 THEN price END AS price,
    CASE
        WHEN symbol IS NULL THEN 'no symbol'
        WHEN series NOT IN ('EQ', 'BE', 'BZ') THEN 'series is not common stock'
        WHEN substr(isin, 1, 3) NOT IN ('INE', 'IN9') OR substr(isin, 8, 2) IN ('23', '25') THEN 'ISIN does not start with INE'
        WHEN since_text IS NOT NULL AND since IS NULL THEN 'bad date'
        WHEN market_cap_text <> '' AND market_cap IS NULL OR price_text <> '' AND price IS NULL THEN 'bad number'
    END AS refused
FROM staged
