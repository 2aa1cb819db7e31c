-- Insider trades: trades in the company's securities that promoters, directors, officers, employees and persons close to them disclose.
--
-- In India they are the disclosures under the insider-trading rules, in the US the transactions of Forms 4 and 5, including options and
-- other derivatives. Amended forms are rows of their own.
--
-- key:    symbol, filed_on, sequence
-- sorted: symbol, filed_on, sequence
-- source: staged india
-- filled-by: "insider disclosures" india page=https://www.nseindia.com/companies-listing/corporate-filings-insider-trading
-- filled-by: "insiders' data sets" us fetch=insider_data_sets
-- filled-by: "insiders' forms" us page=https://www.sec.gov/search-filings
-- staged: symbol text, filed_on date, transaction words, mode words, shares money, value money, company words?, traded_from date?, traded_to date?, person words?, category words?, security words?, held_before money?, held_before_pct money?, held_after money?, held_after_pct money?, exchange words?, document words?
-- duplicates: as often as in one file
-- column: symbol           text
-- column: filed_on         date             "Day on which the filing was published."
-- column: sequence         int
-- column: security_name    text?
-- column: traded_from      date?            "First day of the trade; null if it is after the filing."
-- column: traded_to        date?            "Last day of the trade; null if it is after the filing."
-- column: person           text?            "Who traded."
-- column: category         text?            "Role of the person in the company."
-- column: officer_title    text? us         "Office of a person who is an officer."
-- column: security_type    text?            "Kind of security."
-- column: side             text
-- column: transaction_type text?            "Kind of transaction: in India in the filing's words, in the US by the code."
-- column: transaction_code text us          "The SEC's letter for the kind of transaction: P is a purchase, S a sale."
-- column: mode             text? india      "Way of the trade, in the filing's words."
-- column: shares           int? shares      "Shares or other securities traded."
-- column: price            number? price us
-- column: value_cr         number? inr_crore india
-- column: value_usd        number? money us "Value of the trade or position in dollars."
-- column: held_before      int? shares           "Shares that the person held before; in the US computed from those held after, null if a form does not determine them."
-- column: held_before_pct  number? pct india     "Shares that the person held before, in percent of the company."
-- column: held_after       int? shares      "Shares that the person held after."
-- column: held_after_pct   number? pct india     "Shares that the person held after, in percent of the company."
-- column: ownership        text? us         "direct, or indirect through others."
-- column: footnotes        text? us         "Remarks of the filing on the trade."
-- column: trade_exchange   text? india      "Exchange of the trade; null for a trade outside of exchanges."
-- column: document         text? india      "Address of the filing."
-- column: form             text? us
-- column: accession        text? us
-- column: source           text?

WITH figures AS (
    SELECT
        *,
        CASE WHEN shares >= 0 THEN shares END AS traded,
        CASE WHEN value >= 0 THEN value END AS paid,
        CASE WHEN held_before >= 0 THEN held_before END AS before,
        CASE WHEN held_before_pct >= 0 THEN held_before_pct END AS before_pct,
        CASE WHEN held_after >= 0 THEN held_after END AS after,
        CASE WHEN held_after_pct >= 0 THEN held_after_pct END AS after_pct,
        lower(coalesce(transaction, '')) AS what,
        lower(coalesce(mode, '')) AS way
    FROM staged
),
sides AS (
    SELECT
        *,
        -- No money of the person came to the market or left it by a decision of theirs.
        CASE
            WHEN way LIKE '%pledge%' OR way LIKE '%gift%' OR way LIKE '%esop%' OR way LIKE '%esos%' OR way LIKE '%inter-se%'
                OR way LIKE '%bonus%' OR way LIKE '%merger%' OR way LIKE '%amalgamation%' OR way LIKE '%conversion%'
                OR way LIKE '%inherit%' OR way LIKE '%transmission%' THEN 'other'
            WHEN what IN ('buy', 'sell') THEN what
            ELSE 'other'
        END AS side
    FROM figures
)
SELECT
    symbol,
    filed_on,
    company AS security_name,
    -- No trade is filed before it is made.
    CASE WHEN traded_from <= filed_on THEN traded_from END AS traded_from,
    CASE WHEN traded_to <= filed_on THEN traded_to END AS traded_to,
    person,
    category,
    security AS security_type,
    side,
    transaction AS transaction_type,
    mode,
    try_cast(round(traded) AS bigint) AS shares,
    paid / 1e7 AS value_cr,
    try_cast(round(before) AS bigint) AS held_before,
    before_pct AS held_before_pct,
    try_cast(round(after) AS bigint) AS held_after,
    after_pct AS held_after_pct,
    nullif(exchange, 'NA') AS trade_exchange,
    document,
    CASE
        WHEN traded IS NULL AND paid IS NULL THEN 'neither number nor value'
        WHEN symbol IS NULL THEN 'no symbol'
        WHEN filed_on IS NULL THEN 'bad date'
    END AS refused
FROM sides
-- What only one of the layouts has tells no disclosure from another.
ORDER BY
    lower(coalesce(person, '')), lower(coalesce(category, '')), lower(coalesce(security, '')),
    side = 'other', side, what, way, traded, paid, before_pct, after
