-- Scorecards: five dimensions of every company with statements from 0 to 10, and the mean of them.
--
-- A dimension is a tenth of the mean percentile of its ratios, over those that are known and apply to the kind of business; it is null with
-- less than half of them. The overall score is the mean of the dimensions, and null with fewer than four. `ratio_codes` says which ratios
-- make a dimension, `ratios` with whom a company is ranked. Tier 1 capital takes the place of equity to assets if it is known; gross bad
-- loans count if they are known.
--
-- key:     symbol
-- sorted:  symbol
-- optional: stocks
-- schedule: 30 12 * * 1-5 india
-- schedule: 0 18 * * 1-5 us
-- stale-after-hours: 78
-- formula: scorecards 2
-- column: symbol               text
-- column: company_name         text?
-- column: sector               text?
-- column: industry             text?
-- column: business_kind        text
-- column: financial_health     number? score_10 "0 to 10: debt to equity, current ratio, interest cover and Altman's score; for lenders and insurers capital, bad loans and cost of funds."
-- column: growth_prospects     number? score_10 "0 to 10: growth of revenue and profit over one, three and five years."
-- column: competitive_position number? score_10 "0 to 10: return on capital, operating margin and share of the industry's revenue; for lenders and insurers return on assets and equity, and margin on assets."
-- column: management_quality   number? score_10 "0 to 10: Piotroski's score, cash conversion and dilution; for lenders and insurers only dilution."
-- column: valuation            number? score_10 "0 to 10: price to earnings and book, EV to EBITDA and free cash flow yield; for lenders and insurers the first two."
-- column: overall_score        number? score_10 "Mean of the dimensions that are known, 0 to 10; null with fewer than four."
-- column: overall_rank         int? rank     "Place by the overall score in the market."
-- column: sector_rank          int? rank     "Place by the overall score in the sector."
-- column: dimensions_known     int count     "Dimensions of the five that have a score."
-- column: inputs_known         int count     "Inputs of the score that are known and ranked."
-- column: inputs_missing       text?         "Inputs of the score that apply to the business and are not known, or that fewer than five peers have; null if there are none."
-- column: peer_group           text?
-- column: ranked_in_market     text?         "Codes of the ratios that were ranked in the whole market because fewer than five companies of the sector have them."
-- column: unscored_because     text?         "Why there is no score; null if there is one."
-- column: period               text?
-- column: period_end           date?
-- column: market_cap_cr        number? inr_crore india
-- column: market_cap_b         number? usd_billion us
-- column: market_cap_assumed   bool?
-- column: price_cmp            number? price
-- column: session              date?
-- column: rs_rating            int? rating
WITH reporting AS (
    SELECT symbol, MAX(period_end) AS newest_end FROM statements GROUP BY symbol
),
companies_scored AS (
    SELECT f.symbol, f.business_kind, f.is_eligible, f.ttm_period, f.ttm_end, f.balance_date, r.newest_end
    FROM   fundamentals f
    JOIN   reporting r ON r.symbol = f.symbol
),
inputs AS (
    SELECT f.symbol,
           c.ratio_code,
           CASE WHEN f.business_kind = 'other' THEN c.dimension ELSE c.lender_dimension END AS dimension,
           COALESCE(r.applies, TRUE) AS applies,
           -- A stock that is not traded has no place among others, but its ratios are no less known.
           CASE WHEN f.is_eligible THEN r.peer_percentile IS NOT NULL ELSE r.ratio_value IS NOT NULL OR r.swing IS NOT NULL END AS is_known,
           r.peer_percentile,
           r.peer_group,
           MAX(CASE WHEN c.ratio_code = 'tier1_pct' THEN r.peer_percentile END) OVER (PARTITION BY f.symbol) IS NOT NULL AS has_capital
    FROM   companies_scored f
    CROSS  JOIN ratio_codes c
    LEFT   JOIN ratios r ON r.symbol = f.symbol AND r.ratio_code = c.ratio_code
),
counted AS (
    SELECT *
    FROM   inputs
    WHERE  dimension IS NOT NULL
    AND    applies
    AND    (ratio_code NOT IN ('tier1_pct', 'gnpa_pct') OR is_known)
    AND    (ratio_code <> 'equity_to_assets' OR NOT has_capital)
),
halves AS (
    SELECT symbol,
           dimension,
           CASE WHEN COUNT(peer_percentile) > 0 AND 2 * COUNT(peer_percentile) >= COUNT(*) THEN AVG(peer_percentile) / 10 END AS score
    FROM   counted
    GROUP  BY symbol, dimension
),
dimensions AS (
    SELECT symbol,
           MAX(score) FILTER (WHERE dimension = 'financial_health')     AS financial_health,
           MAX(score) FILTER (WHERE dimension = 'growth_prospects')     AS growth_prospects,
           MAX(score) FILTER (WHERE dimension = 'competitive_position') AS competitive_position,
           MAX(score) FILTER (WHERE dimension = 'management_quality')   AS management_quality,
           MAX(score) FILTER (WHERE dimension = 'valuation')            AS valuation,
           COUNT(score)                                                 AS dimensions_known,
           CASE WHEN COUNT(score) >= 4 THEN AVG(score) END              AS overall_score,
           array_to_string(array_agg(dimension ORDER BY dimension) FILTER (WHERE score IS NULL), ', ') AS dimensions_missing
    FROM   halves
    GROUP  BY symbol
),
known AS (
    SELECT symbol,
           COUNT(peer_percentile) AS inputs_known,
           array_to_string(array_agg(ratio_code ORDER BY ratio_code) FILTER (WHERE NOT is_known), ', ') AS inputs_missing,
           array_to_string(array_agg(ratio_code ORDER BY ratio_code) FILTER (WHERE is_known AND peer_group = 'market'), ', ') AS ranked_in_market,
           -- What most inputs were ranked among; the few that were not are named beside it.
           CASE
               WHEN bool_or(peer_group = 'lenders') THEN 'lenders'
               WHEN COUNT(peer_percentile) FILTER (WHERE peer_group = 'sector') > 0 THEN 'sector'
               WHEN COUNT(peer_percentile) > 0 THEN 'market'
           END AS peer_group
    FROM   counted
    GROUP  BY symbol
)
SELECT d.symbol,
       c.company_name,
       c.sector,
       c.industry,
       f.business_kind,
       d.financial_health,
       d.growth_prospects,
       d.competitive_position,
       d.management_quality,
       d.valuation,
       d.overall_score,
       CASE WHEN d.overall_score IS NOT NULL THEN
           CAST(RANK() OVER (ORDER BY ROUND(d.overall_score, 9) DESC NULLS LAST) AS BIGINT)
       END AS overall_rank,
       CASE WHEN d.overall_score IS NOT NULL THEN
           CAST(RANK() OVER (PARTITION BY c.sector ORDER BY ROUND(d.overall_score, 9) DESC NULLS LAST) AS BIGINT)
       END AS sector_rank,
       d.dimensions_known,
       k.inputs_known,
       k.inputs_missing,
       k.peer_group,
       k.ranked_in_market,
       CASE
           WHEN d.overall_score IS NOT NULL THEN NULL
           WHEN NOT f.is_eligible THEN 'It did not trade in the last five sessions, and only stocks that did are ranked.'
           WHEN f.ttm_end IS NULL AND f.balance_date IS NULL THEN
               'Its newest statements are of ' || CAST(f.newest_end AS TEXT) || ', more than two years ago.'
           ELSE 'It has ' || CAST(d.dimensions_known AS TEXT) || ' of the five dimensions, four are needed; less than half of the ratios are known of '
               || d.dimensions_missing || '.'
       END AS unscored_because,
       f.ttm_period AS period,
       f.ttm_end    AS period_end,
       s.market_cap / 1e7 AS market_cap_cr,
       s.market_cap / 1e9 AS market_cap_b,
       s.market_cap_assumed,
       s.price_cmp,
       s.session,
       s.rs_rating
FROM   dimensions d
JOIN   known k ON k.symbol = d.symbol
JOIN   companies_scored f ON f.symbol = d.symbol
JOIN   companies c ON c.symbol = d.symbol
LEFT   JOIN stocks s ON s.symbol = d.symbol
ORDER  BY d.symbol
