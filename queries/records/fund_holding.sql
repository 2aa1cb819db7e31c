-- Fund holding: a member of an index, from Form N-PORT of a fund that holds all members.
--
-- `of_trust` and `of_series` have the index of each such fund. The CIK identifies a trust with a single fund; a fund of a larger registrant
-- is identified by its series. Members are held long and are common equity, or trusts in real estate, for which some funds write words of
-- their own; cash, futures and the like are not. A list with under nine tenths of the members of its index is no list of it.
--
-- The filing was known on the day on which it was filed: the later of the one that it states (in a form alone, that of its signature) and
-- the date in the path. Without either it counts from 60 days after the day of the holdings, when the SEC publishes it.
--
-- staged: name text, title text?, cusip text, isin text?, ticker text?, balance number, unit text?, profile text, category text, cik cik, series text?, form text?, report_date date, filed_on date?
-- known:  known_on

WITH funds AS (
    SELECT
        *,
        greatest(filed_on, path_date) AS filed,
        CASE cik WHEN 884394 THEN 'SP500' WHEN 1067839 THEN 'NDX100' WHEN 1041130 THEN 'DOW30' END AS of_trust,
        CASE series WHEN 'S000004310' THEN 'SP500' WHEN 'S000002839' THEN 'SP500' END AS of_series,
        category IN ('EC', 'RE') OR upper(category) LIKE '%REIT%' OR upper(category) LIKE '%REAL ESTATE%'
            OR upper(category) LIKE '%COMMON%' AS is_equity
    FROM staged
)
SELECT
    coalesce(of_trust, of_series) AS index,
    of_trust IS NOT NULL AS is_trust,
    CASE WHEN of_trust IS NULL THEN series ELSE CAST(cik AS VARCHAR) END AS fund,
    CASE coalesce(of_trust, of_series) WHEN 'SP500' THEN 450 WHEN 'NDX100' THEN 90 WHEN 'DOW30' THEN 27 END AS least_members,
    report_date,
    filed AS filed_on,
    coalesce(filed, CAST(report_date + INTERVAL '60 days' AS DATE)) AS known_on,
    coalesce(form LIKE '%/A', false) AS is_amendment,
    name,
    title,
    CASE
        WHEN length(cusip) = 9 AND cusip <> '000000000' THEN upper(cusip)
        WHEN isin LIKE 'US%' THEN substr(isin, 3, 9)
    END AS cusip,
    ticker,
    CASE
        WHEN of_trust IS NULL AND of_series IS NULL THEN 'fund of no known index'
        WHEN report_date IS NULL THEN 'bad date'
        WHEN report_date > filed THEN 'the day of the holdings is after that of the filing'
        WHEN name = '' AND cusip = '' THEN 'says that there are no records'
        WHEN NOT is_equity OR profile <> 'Long' OR unit <> 'NS' THEN 'not a long position in common equity'
        WHEN balance IS NULL OR balance <= 0 THEN 'bad number'
    END AS refused
FROM funds
