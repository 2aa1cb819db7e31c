-- Filed bank figures: loans, deposits, net interest and bad loans as banks and lenders file them with their results, by quarter.
--
-- They are of the company alone if it files them so, because lenders state bad loans for the company alone; else of the group. Bad loans are
-- in percent of the loans before provisions for them, which are the loans on the balance sheet with what was provided for bad ones. Where a
-- bank states these parts itself, they stand, but for one that is a hundred times that of the amounts: some state percents as fractions.
-- Capital of the first tier is as filed, from 4 to 60 percent of the risk-weighted assets.
--
-- market:  india
-- key:     symbol, period_end
-- known:   filed_on
-- sorted:  symbol, period_end
-- formula: filed bank figures 3
-- column: symbol             text
-- column: period_end         date
-- column: lender_type        text in (bank, lender)
-- column: basis              text
-- column: advances_cr        number? inr_crore
-- column: deposits_cr        number? inr_crore
-- column: nii_cr             number? inr_crore
-- column: gnpa_pct           number? pct
-- column: nnpa_pct           number? pct
-- column: pcr_pct            number? pct
-- column: credit_growth_pct  number? pct
-- column: deposit_growth_pct number? pct
-- column: credit_deposit_pct number? pct
-- column: tier1_pct          number? pct
-- column: filed_on           date?
-- column: source             text?
WITH known AS (
    SELECT symbol, period_end, basis, line, value, filed_at, source,
           ROW_NUMBER() OVER (PARTITION BY symbol, period_end, basis, line ORDER BY filed_at DESC NULLS LAST) AS age
    FROM   statement_lines
    WHERE  period_type = 'quarterly'
    AND    line IN ('advances', 'deposits', 'gross_npa', 'net_npa', 'gross_npa_pct', 'net_npa_pct', 'net_interest_income', 'tier1_pct')
    AND    known_from <= as_of()
),
wide AS (
    SELECT symbol,
           period_end,
           basis,
           MAX(value) FILTER (WHERE line = 'advances')            AS advances,
           MAX(value) FILTER (WHERE line = 'deposits')            AS deposits,
           MAX(value) FILTER (WHERE line = 'gross_npa')           AS gross_npa,
           MAX(value) FILTER (WHERE line = 'net_npa')             AS net_npa,
           MAX(value) FILTER (WHERE line = 'gross_npa_pct')       AS stated_gross,
           MAX(value) FILTER (WHERE line = 'net_npa_pct')         AS stated_net,
           MAX(value) FILTER (WHERE line = 'net_interest_income') AS net_interest_income,
           MAX(value) FILTER (WHERE line = 'tier1_pct')           AS tier1,
           MAX(filed_at)                                          AS filed_on,
           MAX(source)                                            AS source
    FROM   known
    WHERE  age = 1
    GROUP  BY symbol, period_end, basis
),
placed AS (
    SELECT w.*,
           k.business_kind AS lender_type,
           ROW_NUMBER() OVER (PARTITION BY w.symbol, w.period_end ORDER BY gross_npa IS NULL, basis DESC) AS place
    FROM   wide w
    JOIN   business_kinds k ON k.symbol = w.symbol AND k.business_kind IN ('bank', 'lender')
),
chosen AS (
    SELECT *,
           100 * gross_npa / NULLIF(advances + gross_npa - net_npa, 0) AS made_gross,
           100 * net_npa / NULLIF(advances, 0)                         AS made_net
    FROM   placed
    WHERE  place = 1
)
SELECT q.symbol,
       q.period_end,
       q.lender_type,
       q.basis,
       q.advances / 1e7                                                           AS advances_cr,
       q.deposits / 1e7                                                           AS deposits_cr,
       q.net_interest_income / 1e7                                                AS nii_cr,
       CASE
           WHEN q.stated_gross > 20 * q.made_gross OR q.stated_gross > 30 AND q.made_gross IS NULL THEN q.made_gross
           ELSE COALESCE(q.stated_gross, q.made_gross)
       END                                                                        AS gnpa_pct,
       CASE
           WHEN q.stated_net > 20 * q.made_net OR q.stated_net > 30 AND q.made_net IS NULL THEN q.made_net
           ELSE COALESCE(q.stated_net, q.made_net)
       END                                                                        AS nnpa_pct,
       100 * (q.gross_npa - q.net_npa) / NULLIF(q.gross_npa, 0)                   AS pcr_pct,
       100 * (q.advances / NULLIF(y.advances, 0) - 1)                             AS credit_growth_pct,
       100 * (q.deposits / NULLIF(y.deposits, 0) - 1)                             AS deposit_growth_pct,
       100 * q.advances / NULLIF(q.deposits, 0)                                   AS credit_deposit_pct,
       CASE WHEN q.tier1 BETWEEN 4 AND 60 THEN q.tier1 END                        AS tier1_pct,
       q.filed_on,
       q.source
FROM   chosen q
LEFT   JOIN chosen y ON y.symbol = q.symbol AND y.basis = q.basis AND y.period_end BETWEEN q.period_end - 370 AND q.period_end - 360
WHERE  COALESCE(q.gross_npa, q.stated_gross, q.advances, q.deposits, q.net_interest_income, q.tier1) IS NOT NULL
ORDER  BY q.symbol, q.period_end
