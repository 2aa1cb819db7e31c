-- Ratios: every ratio of every company with statements, a row each, and where it stands among its peers.
--
-- Peers are the companies of the sector that traded in the last five sessions and have the ratio; for Altman's score those of the same
-- model. The percentile is turned so that more is better. Excellent is 75 and more, Good 50, Average 25, the rest Poor.
--
-- key:     symbol, ratio_code
-- sorted:  symbol, ratio_code
-- formula: ratios 1
-- column: symbol          text
-- column: ratio_code            text
-- column: ratio_value     number? ratio "The ratio, in its own unit."
-- column: period          text?
-- column: period_end      date?
-- column: balance_date    date?
-- column: sector          text?
-- column: classification  text?          "Excellent, Good, Average or Poor, by the percentile among the sector's companies."
-- column: peer_percentile number? score  "Percentile among the sector's companies, 100 is best; null for fewer than five."
-- column: peer_count      int? count     "Companies of the sector that have the ratio."
WITH listed AS (
    SELECT symbol,
           sector,
           is_eligible,
           altman_model,
           ttm_period,
           ttm_end,
           fiscal_period,
           balance_date,
           unnest(make_array('altman_z_score', 'asset_turnover', 'cash_conversion', 'current_ratio', 'de', 'dilution_pct',
                       'dividend_yield', 'ev_ebitda', 'fcf_yield', 'gross_margin_pct', 'industry_revenue_share',
                       'interest_cover', 'net_margin_pct', 'opm_pct', 'pat_cagr_3y', 'pat_cagr_5y', 'pat_growth_1y',
                       'pb', 'pe', 'piotroski_f', 'profitable_years_10y', 'ps', 'revenue_cagr_3y', 'revenue_cagr_5y',
                       'revenue_growth_1y', 'roa', 'roce', 'roe')) AS ratio_code,
           unnest(make_array(altman_z_score, asset_turnover, cash_conversion, current_ratio, de, dilution_pct,
                       dividend_yield, ev_ebitda, fcf_yield, gross_margin_pct, industry_revenue_share,
                       interest_cover, net_margin_pct, opm_pct, pat_cagr_3y, pat_cagr_5y, pat_growth_1y, pb, pe,
                       CAST(piotroski_f AS DOUBLE), CAST(profitable_years_10y AS DOUBLE), ps, revenue_cagr_3y,
                       revenue_cagr_5y, revenue_growth_1y, roa, roce, roe)) AS ratio_value
    FROM   fundamentals
    WHERE  ttm_end IS NOT NULL OR balance_date IS NOT NULL
),
turned AS (
    SELECT l.*,
           CASE WHEN ratio_code = 'altman_z_score' THEN altman_model ELSE '' END AS model,
           CASE c.better WHEN 'lower' THEN -l.ratio_value ELSE l.ratio_value END AS goodness
    FROM   listed l
    JOIN   ratio_codes c USING (ratio_code)
),
placed AS (
    SELECT *,
           CASE WHEN is_eligible AND sector IS NOT NULL THEN percentile(goodness) OVER peers END      AS peer_percentile,
           CASE WHEN is_eligible AND sector IS NOT NULL THEN COUNT(goodness) OVER peers END           AS peer_count
    FROM   turned
    WINDOW peers AS (PARTITION BY ratio_code, model, sector, is_eligible)
)
SELECT symbol,
       ratio_code,
       ratio_value,
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
       peer_count
FROM   placed
ORDER  BY symbol, ratio_code
