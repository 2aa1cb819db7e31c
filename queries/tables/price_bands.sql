-- Price bands: how far the exchange lets each stock move in a session, by the day from which its list holds.
--
-- The exchange publishes the list of a day after the close, between 17:10 and 18:00, and it holds for the session after that day: the
-- list of 4 April 2025 has the bands that change for the 7th. A list whose name says only its month is not read.
--
-- market: india
-- key:    symbol, band_date
-- sorted: symbol, band_date
-- source: staged
-- made-with: daily_prices
-- filled-by: "price bands" india fetch=price_bands
-- staged: symbol text, series text, band number, written text of band, remarks words
-- always: yes
-- column: symbol    text
-- column: band_date date        "First day on which the list of price bands can hold: the day after its date."
-- column: band_pct  number? pct "Farthest move from the previous close, up or down; null without a band."
-- column: remarks   text?       "Remarks of the exchange on the row."

SELECT
    symbol,
    -- Of lists whose path has no date, it is the day that lists are assumed to be of.
    path_date AS band_date,
    band AS band_pct,
    remarks,
    series,
    CASE
        WHEN path_word = 'month' THEN 'the name of the list says its month, not its day'
        -- The exchange has no others.
        WHEN upper(written) <> 'NO BAND' AND (band IS NULL OR band NOT IN (2, 5, 10, 20, 40)) THEN 'no price band of the exchange'
        WHEN series NOT IN ('EQ', 'BE', 'BZ') THEN 'series is not common stock'
        WHEN symbol IS NULL THEN 'no symbol'
    END AS refused
FROM staged
