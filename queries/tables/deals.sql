-- Deals: bulk and block deals as the exchange reports them.
--
-- A bulk deal is everything that one client bought, or sold, of a stock in a session, if that is more than 0.5 % of the company; a block
-- deal is struck in the block window.
--
-- market: india
-- key:    symbol, deal_date, sequence
-- sorted: symbol, deal_date, sequence
-- source: staged
-- filled-by: "bulk and block deals" india fetch=bulk_deals,block_deals page=https://www.nseindia.com/report-detail/display-bulk-and-block-deals
-- staged: symbol text, date date, written text of date, security words, client text, side text, quantity money, price money, remarks words?, has_remarks text? of remarks
-- duplicates: as often as in one file
-- column: symbol        text
-- column: deal_date     date            "Session of the deal."
-- column: sequence      int             "Number of the row among those of its symbol and day."
-- column: deal_type     text            "bulk or block."
-- column: security_name text?           "Name of the security in the report."
-- column: client        text            "Who bought or sold; of a contract, the other side."
-- column: side          text            "buy or sell; for insiders also other: pledges, gifts, employees' options, transfers between promoters, bonuses, conversions."
-- column: quantity      int shares      "Shares of the deal."
-- column: price         number price    "Price a share; of a bulk deal the weighted average."
-- column: value_cr      number? inr_crore "Value of the deal or trade."
-- column: remarks       text?
-- column: source        text?

SELECT
    symbol,
    date AS deal_date,
    -- A file whose name does not say it has block deals if it has no remarks.
    CASE WHEN path_word = 'block' OR path_word IS NULL AND has_remarks IS NULL THEN 'block' ELSE 'bulk' END AS deal_type,
    security AS security_name,
    client,
    lower(side) AS side,
    try_cast(round(quantity) AS bigint) AS quantity,
    price,
    round(quantity) * price / 1e7 AS value_cr,
    remarks,
    CASE
        WHEN upper(written) = 'NO RECORDS' THEN 'says that there are no records'
        WHEN lower(side) NOT IN ('buy', 'sell') THEN 'neither purchase nor sale'
        WHEN symbol IS NULL THEN 'no symbol'
        WHEN date IS NULL THEN 'bad date'
        WHEN date <> path_date AND extract(year FROM date) = extract(year FROM path_date)
            AND extract(month FROM date) = extract(day FROM path_date) AND extract(day FROM date) = extract(month FROM path_date)
            THEN 'day and month are swapped, by the name of the file'
        WHEN quantity IS NULL OR quantity <= 0 OR price IS NULL OR price <= 0 THEN 'bad number'
    END AS refused
FROM staged
ORDER BY deal_type = 'block', client, side, quantity, price
