-- Scorecards: five dimensions of every company from 0 to 10, and the mean of them.
--
-- A dimension is a tenth of the mean percentile of its ratios within the sector, turned so that more is better. A ratio that is not
-- known, or cannot be as with lenders, leaves its dimension and the overall score empty; it is named in `inputs_missing`.
--
-- key:     symbol
-- sorted:  symbol
-- schedule: 30 12 * * 1-5
-- stale-after-hours: 78
-- formula: scorecards 1
-- column: symbol               text
-- column: company_name         text?
-- column: sector               text?
-- column: industry             text?
-- column: financial_health     number? score_10 "Debt to equity, current ratio, interest cover and Altman's score against the sector, 0 to 10."
-- column: growth_prospects     number? score_10 "Growth of revenue and profit over one, three and five years against the sector, 0 to 10."
-- column: competitive_position number? score_10 "Return on capital, operating margin and share of the industry's revenue against the sector, 0 to 10."
-- column: management_quality   number? score_10 "Piotroski's score, cash conversion and dilution against the sector, 0 to 10."
-- column: valuation            number? score_10 "Price to earnings and book, EV to EBITDA and free cash flow yield against the sector, 0 to 10."
-- column: overall_score        number? score_10 "Mean of the five dimensions, 0 to 10."
-- column: overall_rank         int? rank     "Place by the overall score in the market."
-- column: sector_rank          int? rank     "Place by the overall score in the sector."
-- column: inputs_known         int count     "Ratios of the 20 behind the scorecard that are known."
-- column: inputs_missing       text?         "Codes of the ratios that are not known or have too few peers."
-- column: period               text?
-- column: period_end           date?
-- column: market_cap_cr        number? inr_crore india
-- column: market_cap_b         number? usd_billion us
-- column: price_cmp            number price
-- column: session              date
-- column: rs_rating            int? rating
WITH inputs AS (
    SELECT symbol,
           ratio_code,
           peer_percentile,
           CASE
               WHEN ratio_code IN ('de', 'current_ratio', 'interest_cover', 'altman_z_score') THEN 'financial_health'
               WHEN ratio_code IN ('revenue_growth_1y', 'revenue_cagr_3y', 'revenue_cagr_5y', 'pat_growth_1y',
                             'pat_cagr_3y', 'pat_cagr_5y') THEN 'growth_prospects'
               WHEN ratio_code IN ('roce', 'opm_pct', 'industry_revenue_share') THEN 'competitive_position'
               WHEN ratio_code IN ('piotroski_f', 'cash_conversion', 'dilution_pct') THEN 'management_quality'
               WHEN ratio_code IN ('pe', 'pb', 'ev_ebitda', 'fcf_yield') THEN 'valuation'
           END AS dimension
    FROM   ratios
),
dimensions AS (
    SELECT symbol,
           CASE WHEN COUNT(peer_percentile) FILTER (WHERE dimension = 'financial_health') = 4
               THEN AVG(peer_percentile) FILTER (WHERE dimension = 'financial_health') / 10
           END AS financial_health,
           CASE WHEN COUNT(peer_percentile) FILTER (WHERE dimension = 'growth_prospects') = 6
               THEN AVG(peer_percentile) FILTER (WHERE dimension = 'growth_prospects') / 10
           END AS growth_prospects,
           CASE WHEN COUNT(peer_percentile) FILTER (WHERE dimension = 'competitive_position') = 3
               THEN AVG(peer_percentile) FILTER (WHERE dimension = 'competitive_position') / 10
           END AS competitive_position,
           CASE WHEN COUNT(peer_percentile) FILTER (WHERE dimension = 'management_quality') = 3
               THEN AVG(peer_percentile) FILTER (WHERE dimension = 'management_quality') / 10
           END AS management_quality,
           CASE WHEN COUNT(peer_percentile) FILTER (WHERE dimension = 'valuation') = 4
               THEN AVG(peer_percentile) FILTER (WHERE dimension = 'valuation') / 10
           END AS valuation,
           COUNT(peer_percentile) AS inputs_known,
           array_to_string(array_agg(ratio_code ORDER BY ratio_code) FILTER (WHERE peer_percentile IS NULL), ', ') AS inputs_missing
    FROM   inputs
    WHERE  dimension IS NOT NULL
    GROUP  BY symbol
),
overall AS (
    SELECT *,
           (financial_health + growth_prospects + competitive_position + management_quality + valuation) / 5 AS overall_score
    FROM   dimensions
)
SELECT o.symbol,
       s.company_name,
       s.sector,
       s.industry,
       o.financial_health,
       o.growth_prospects,
       o.competitive_position,
       o.management_quality,
       o.valuation,
       o.overall_score,
       CASE WHEN o.overall_score IS NOT NULL THEN
           CAST(RANK() OVER (ORDER BY o.overall_score DESC NULLS LAST) AS BIGINT)
       END AS overall_rank,
       CASE WHEN o.overall_score IS NOT NULL THEN
           CAST(RANK() OVER (PARTITION BY s.sector ORDER BY o.overall_score DESC NULLS LAST) AS BIGINT)
       END AS sector_rank,
       o.inputs_known,
       o.inputs_missing,
       f.ttm_period AS period,
       f.ttm_end    AS period_end,
       s.market_cap / 1e7 AS market_cap_cr,
       s.market_cap / 1e9 AS market_cap_b,
       s.price_cmp,
       s.session,
       s.rs_rating
FROM   overall o
JOIN   stocks s ON s.symbol = o.symbol
JOIN   fundamentals f ON f.symbol = o.symbol
ORDER  BY o.symbol
