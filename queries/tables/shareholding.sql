-- Shareholding: the shares of each company that promoters, the public by its classes, and employees' trusts hold, by quarter.
--
-- Promoters, public and trusts add up to 100, except for companies with other holders, such as custodians of depositary receipts. The
-- public is foreign and domestic institutions, governments and all others; a class that a filing or list does not have is null.
-- Filings state how many of the promoters' shares are pledged, those before 2025 together with shares encumbered in another way.
--
-- market: india
-- key:    symbol, period_end
-- known:  filed_on
-- sorted: symbol, period_end
-- source: staged
-- filled-by: "shareholding patterns" india page=https://www.nseindia.com/companies-listing/corporate-filings-shareholding-pattern
-- staged: symbol text, period_end date, filed_on date?, promoter number, public number, foreign number?, domestic number?, mutual_funds number?, insurers number?, government number?, others number?, trusts number?, pledged_shares number?, promoter_shares number?, all_shares number?
-- completed: filed_on, fii_pct, dii_pct, mutual_fund_pct, insurer_pct, government_pct, non_institution_pct, pledge_pct, pledged_of_total_pct, pledged_shares from rows with fii_pct, dii_pct if equal promoter_pct, public_pct
-- column: symbol       text
-- column: period_end   date        "Date of the figures, mostly the last day of a quarter."
-- column: promoter_pct        number pct  "Shares that promoters and their group hold."
-- column: public_pct          number pct  "Shares that the public holds: institutions, governments and all others but promoters and trusts."
-- column: fii_pct             number? pct "Shares that foreign institutions (FIIs, foreign portfolio investors) hold, a part of the public's."
-- column: dii_pct             number? pct "Shares that domestic institutions hold (mutual funds, insurers, banks, pension funds), a part of the public's."
-- column: mutual_fund_pct     number? pct "Shares that mutual funds hold, a part of the domestic institutions'."
-- column: insurer_pct         number? pct "Shares that insurance companies hold, a part of the domestic institutions'."
-- column: government_pct      number? pct "Shares that central and state governments hold as a part of the public."
-- column: non_institution_pct number? pct "Shares of the public that neither institutions nor governments hold: individuals, companies, others."
-- column: trusts_pct          number? pct "Shares that trusts for employees hold."
-- column: pledge_pct           number? pct
-- column: pledged_of_total_pct number? pct
-- column: pledged_shares       int? shares
-- column: filed_on            date?
-- column: source              text?

WITH in_percent AS (
    -- Rows of fractions are told by their sum: no company is held to 1 % in all.
    SELECT
        *,
        CASE WHEN promoter + public + coalesce(trusts, 0) BETWEEN 0.99 AND 1.01 THEN 100 ELSE 1 END AS times
    FROM staged
),
figures AS (
    SELECT
        symbol,
        period_end,
        filed_on,
        path_date,
        times * promoter AS promoter,
        times * public AS public,
        times * "foreign" AS "foreign",
        times * domestic AS domestic,
        times * mutual_funds AS mutual_funds,
        times * insurers AS insurers,
        times * government AS government,
        times * others AS others,
        times * trusts AS trusts,
        -- A count that is more than the promoters have is none of pledges.
        CASE WHEN pledged_shares BETWEEN 0 AND promoter_shares THEN pledged_shares END AS pledged,
        promoter_shares,
        all_shares
    FROM in_percent
),
apart AS (
    -- Some lists have institutions beside `public` and mean by that the rest, which the sum of all tells.
    SELECT
        *,
        "foreign" + domestic + coalesce(government, 0) AS apart,
        100 - promoter - public - coalesce(trusts, 0) AS rest
    FROM figures
),
meant AS (
    SELECT *, coalesce(others IS NULL AND apart > 0.1 AND abs(rest - apart) <= 0.1, false) AS is_rest FROM apart
),
held AS (
    SELECT
        symbol,
        period_end,
        coalesce(filed_on, path_date) AS filed_on,
        promoter AS promoter_pct,
        CASE WHEN is_rest THEN public + apart ELSE public END AS public_pct,
        "foreign" AS fii_pct,
        domestic AS dii_pct,
        mutual_funds AS mutual_fund_pct,
        insurers AS insurer_pct,
        government AS government_pct,
        CASE WHEN is_rest THEN public ELSE others END AS non_institution_pct,
        trusts AS trusts_pct,
        100 * pledged / nullif(promoter_shares, 0) AS pledge_pct,
        CASE WHEN promoter_shares <= all_shares THEN 100 * pledged / nullif(all_shares, 0) END AS pledged_of_total_pct,
        try_cast(round(pledged) AS bigint) AS pledged_shares
    FROM meant
)
SELECT
    *,
    CASE
        WHEN symbol IS NULL THEN 'no symbol'
        WHEN period_end IS NULL THEN 'bad date'
        WHEN promoter_pct IS NULL OR public_pct IS NULL THEN 'bad number'
        WHEN least(promoter_pct, public_pct, trusts_pct, mutual_fund_pct, insurer_pct, fii_pct, dii_pct, government_pct, non_institution_pct) < 0
            OR greatest(promoter_pct, public_pct, trusts_pct, mutual_fund_pct, insurer_pct, fii_pct, dii_pct, government_pct, non_institution_pct) > 100
            OR promoter_pct + public_pct + coalesce(trusts_pct, 0) > 100 + 0.1
            OR coalesce(fii_pct, 0) + coalesce(dii_pct, 0) + coalesce(government_pct, 0) + coalesce(non_institution_pct, 0) > public_pct + 0.1
            OR coalesce(mutual_fund_pct, 0) + coalesce(insurer_pct, 0) > dii_pct + 0.1
            THEN 'holdings are no shares of 100 %'
    END AS refused
FROM held
