-- Business kinds: which companies are banks, other lenders or insurers, and which run any other business.
--
-- Only this table decides it: ratios that mean nothing for a lender are null for every company that is one here. Only a company of the
-- financial sector, or a company without a sector, can be a lender: a manufacturer that reports net interest or finances its sales is none.
-- In the financial sector, an insurer is one by its industry; a bank or lender is one by its industry, or because it reports interest
-- earned or a net interest income above zero. A company without a sector is a lender by its earnings only if it reports no current assets,
-- because manufacturers have net interest, too. A financial company without an industry counts as a lender: it most often is one, and a
-- wrong ratio is worse than none.
--
-- key:     symbol
-- sorted:  symbol
-- formula: business kinds 2
-- column: symbol        text
-- column: business_kind text in (bank, lender, insurer, other) "bank: takes deposits; lender: lends without them; insurer; other: any other business."
-- column: is_financial  bool "Whether it is a bank, lender or insurer, or another company of the financial sector."
WITH lines AS (
    SELECT symbol,
           COUNT(interest_earned) > 0 OR COALESCE(MAX(net_interest_income) > 0, FALSE) AS earns_interest,
           COUNT(deposits) > 0                                                         AS takes_deposits,
           COUNT(current_assets) > 0                                                   AS has_current_assets
    FROM   reported_periods
    GROUP  BY symbol
),
named AS (
    SELECT c.symbol,
           c.sector IN ('Financial Services', 'Finance', 'Financials')                AS in_sector,
           lower(c.industry)                                                          AS industry,
           COALESCE(l.earns_interest, FALSE)                                          AS earns_interest,
           COALESCE(l.takes_deposits, FALSE)                                          AS takes_deposits,
           COALESCE(l.has_current_assets, FALSE)                                      AS has_current_assets
    FROM   companies c
    LEFT   JOIN lines l ON l.symbol = c.symbol
),
sorted_out AS (
    SELECT symbol,
           CASE
               WHEN NOT COALESCE(in_sector, TRUE)                                                         THEN 'other'
               -- Among specialty insurers the NASDAQ lists brokers too, which tell their current assets as insurers do not.
               WHEN industry LIKE '%insur%' AND industry NOT LIKE '%broker%'
                    AND NOT (industry LIKE 'specialty%' AND has_current_assets)                           THEN 'insurer'
               WHEN earns_interest AND (in_sector OR NOT has_current_assets)                              THEN 'lends'
               WHEN in_sector AND (industry LIKE '%bank%' OR industry LIKE '%savings%')
                    AND industry NOT LIKE '%investment bank%' AND industry NOT LIKE '%custody%'           THEN 'lends'
               WHEN in_sector AND (industry = 'finance' OR industry LIKE '%consumer finance%' OR industry LIKE '%mortgage%') THEN 'lends'
               WHEN in_sector AND industry IS NULL                                                        THEN 'lends'
               ELSE 'other'
           END AS kind,
           takes_deposits OR COALESCE(industry LIKE '%bank%' AND industry NOT LIKE '%investment bank%', FALSE) AS is_bank,
           COALESCE(in_sector, FALSE) AS in_sector
    FROM   named
)
SELECT symbol,
       CASE WHEN kind <> 'lends' THEN kind WHEN is_bank THEN 'bank' ELSE 'lender' END AS business_kind,
       in_sector OR kind <> 'other' AS is_financial
FROM   sorted_out
ORDER  BY symbol
