-- Ratios: every ratio of every company with statements, one row each, and its place among the peers.
--
-- Peers are the companies of the sector that traded in the last five sessions and have the ratio, or those of the market if the sector has
-- fewer than five. Banks, lenders and insurers are compared only with each other, and the rest of a sector without them; for Altman's
-- score, peers are companies with the same model. A swing of profit after tax to a loss ranks below every growth, one to a profit above.
-- In the percentile more is always better. Excellent is 75 and more, Good 50, Average 25,
-- the rest Poor.
--
-- key:     symbol, ratio_code
-- sorted:  symbol, ratio_code
-- formula: ratios 4
-- column: symbol          text
-- column: ratio_code            text
-- column: ratio_value     number? ratio "The ratio, in its own unit."
-- column: swing           text? in (to loss, to profit) "Of growth of profit after tax: whether it has none since a profit turned into a loss or a loss into a profit."
-- column: applies         bool           "Whether the ratio applies to the company: to its kind of business, and interest cover to one that pays interest."
-- column: period          text?
-- column: period_end      date?
-- column: balance_date    date?
-- column: sector          text?
-- column: classification  text?          "Excellent, Good, Average or Poor, by the percentile among the peers."
-- column: peer_percentile number? score  "Percentile among the peers, 100 is best; null for fewer than five."
-- column: peer_count      int? count     "Peers that have the ratio, the company itself among them."
-- column: peer_group      text? in (sector, market, lenders) "With whom the company is compared: the sector, the market if fewer than five of the sector have the ratio, or the market's banks, lenders and insurers."
WITH listed AS (
    SELECT symbol,
           sector,
           is_eligible,
           business_kind,
           interest_ttm,
           altman_model,
           ttm_period,
           ttm_end,
           fiscal_period,
           balance_date,
           pat_swing_1y,
           pat_swing_3y,
           pat_swing_5y,
           unnest(make_array('altman_z_score', 'asset_turnover', 'tier1_pct', 'cash_conversion', 'cost_of_funds',
                       'current_ratio', 'de', 'dilution_pct', 'dividend_yield', 'equity_to_assets', 'ev_ebitda', 'fcf_yield',
                       'gnpa_pct', 'gross_margin_pct', 'industry_revenue_share', 'interest_cover', 'margin_on_assets',
                       'net_margin_pct', 'opm_pct', 'pat_cagr_3y', 'pat_cagr_5y', 'pat_growth_1y', 'pb', 'pe', 'piotroski_f',
                       'profitable_years_10y', 'ps', 'revenue_cagr_3y', 'revenue_cagr_5y', 'revenue_growth_1y', 'roa', 'roce',
                       'roe')) AS ratio_code,
           unnest(make_array(altman_z_score, asset_turnover, tier1_pct, cash_conversion, cost_of_funds, current_ratio, de,
                       dilution_pct, dividend_yield, equity_to_assets, ev_ebitda, fcf_yield, gnpa_pct, gross_margin_pct,
                       industry_revenue_share, interest_cover, margin_on_assets, net_margin_pct, opm_pct, pat_cagr_3y,
                       pat_cagr_5y, pat_growth_1y, pb, pe, CAST(piotroski_f AS DOUBLE), CAST(profitable_years_10y AS DOUBLE),
                       ps, revenue_cagr_3y, revenue_cagr_5y, revenue_growth_1y, roa, roce, roe)) AS ratio_value
    FROM   fundamentals
    WHERE  ttm_end IS NOT NULL OR balance_date IS NOT NULL
),
swung AS (
    SELECT *,
           CASE ratio_code WHEN 'pat_growth_1y' THEN pat_swing_1y WHEN 'pat_cagr_3y' THEN pat_swing_3y WHEN 'pat_cagr_5y' THEN pat_swing_5y END AS swing
    FROM   listed
),
turned AS (
    SELECT l.*,
           business_kind <> 'other' AS is_lender,
           CASE c.applies_to
               WHEN 'others'               THEN business_kind = 'other'
               WHEN 'lenders'              THEN business_kind IN ('bank', 'lender')
               WHEN 'lenders and insurers' THEN business_kind <> 'other'
               ELSE TRUE
           END
           AND NOT (l.ratio_code = 'interest_cover' AND COALESCE(l.interest_ttm = 0, FALSE)) AS applies,
           CASE WHEN l.ratio_code = 'altman_z_score' THEN l.altman_model ELSE '' END AS model,
           CASE
               WHEN swing = 'to loss'   THEN -1e300
               WHEN swing = 'to profit' THEN 1e300
               WHEN c.better = 'lower'  THEN -l.ratio_value
               ELSE l.ratio_value
           END AS goodness
    FROM   swung l
    JOIN   ratio_codes c USING (ratio_code)
),
placed AS (
    SELECT *,
           percentile(goodness) OVER near  AS near_percentile,
           COUNT(goodness)      OVER near  AS near_count,
           percentile(goodness) OVER whole AS whole_percentile,
           COUNT(goodness)      OVER whole AS whole_count
    FROM   turned
    WINDOW near  AS (PARTITION BY ratio_code, model, is_lender, is_eligible, sector),
           whole AS (PARTITION BY ratio_code, model, is_lender, is_eligible)
),
grouped AS (
    SELECT *,
           CASE
               WHEN NOT is_eligible                         THEN NULL
               WHEN is_lender                               THEN 'lenders'
               WHEN sector IS NOT NULL AND near_count >= 5  THEN 'sector'
               ELSE 'market'
           END AS peer_group
    FROM   placed
),
ranked AS (
    SELECT *,
           CASE WHEN peer_group = 'sector' THEN near_percentile WHEN peer_group IS NOT NULL THEN whole_percentile END AS peer_percentile,
           CASE WHEN peer_group = 'sector' THEN near_count      WHEN peer_group IS NOT NULL THEN whole_count END      AS peer_count
    FROM   grouped
)
SELECT symbol,
       ratio_code,
       ratio_value,
       swing,
       applies,
       CASE
           WHEN ratio_code IN ('piotroski_f', 'profitable_years_10y') OR ratio_code LIKE '%growth%' OR ratio_code LIKE '%cagr%' THEN fiscal_period
           ELSE ttm_period
       END AS period,
       ttm_end AS period_end,
       balance_date,
       sector,
       CASE
           WHEN peer_percentile >= 75 THEN 'Excellent'
           WHEN peer_percentile >= 50 THEN 'Good'
           WHEN peer_percentile >= 25 THEN 'Average'
           WHEN peer_percentile IS NOT NULL THEN 'Poor'
       END AS classification,
       peer_percentile,
       peer_count,
       peer_group
FROM   ranked
ORDER  BY symbol, ratio_code
