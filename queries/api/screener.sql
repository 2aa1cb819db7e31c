-- Stocks that meet limits on ratios, size and strength, at most 50.
--
-- A stock without a figure does not meet a limit on it and comes last when it is sorted by. Stocks that did not trade in the last
-- five sessions are left out.
--
-- tool:   screen_stocks
-- tier:   api_max
-- group:  Core
-- answer: list
-- param:  min_roce number? "Smallest return on capital employed, percent." e.g. 5
-- param:  max_pe   number? "Largest price to earnings." e.g. 60
-- param:  min_mcap number? "Smallest market capitalisation, INR crore." e.g. 100
-- param:  max_mcap number? "Largest market capitalisation, INR crore."
-- param:  min_roe  number? "Smallest return on equity, percent." e.g. 5
-- param:  max_de   number? "Largest debt to equity." e.g. 2
-- param:  min_rs   int? in 1..99 "Smallest relative-strength rating." e.g. 10
-- param:  sector   text? among sectors.sector "Only this sector; capitals do not matter."
-- param:  industry text? among industry_stages.industry "Only this industry; capitals do not matter."
-- param:  sort_by  text? in (market_cap_cr, rs_rating, roce, roe, opm_pct) "Column to sort by; left out, the market capitalisation." e.g. roce
-- param:  sort_dir text? in (desc, asc) "Order; left out, the largest first." e.g. desc
SELECT symbol,
       company_name,
       sector,
       industry,
       market_cap_cr,
       price_cmp,
       change_pct,
       pe,
       pb,
       roce,
       roe,
       de,
       opm_pct,
       fcf_yield,
       revenue_growth_1y,
       pat_growth_1y,
       rs_rating,
       stage,
       overall_score,
       ttm_period,
       session
FROM   screen
WHERE  ($min_roce IS NULL OR roce >= $min_roce)
AND    ($max_pe IS NULL OR pe <= $max_pe)
AND    ($min_mcap IS NULL OR market_cap_cr >= $min_mcap)
AND    ($max_mcap IS NULL OR market_cap_cr <= $max_mcap)
AND    ($min_roe IS NULL OR roe >= $min_roe)
AND    ($max_de IS NULL OR de <= $max_de)
AND    ($min_rs IS NULL OR rs_rating >= $min_rs)
AND    ($sector IS NULL OR sector = $sector)
AND    ($industry IS NULL OR industry = $industry)
ORDER  BY CASE $sort_dir WHEN 'asc' THEN 1 ELSE -1 END
              * CASE $sort_by
                    WHEN 'rs_rating' THEN CAST(rs_rating AS DOUBLE)
                    WHEN 'roce'      THEN roce
                    WHEN 'roe'       THEN roe
                    WHEN 'opm_pct'   THEN opm_pct
                    ELSE market_cap_cr
                END NULLS LAST,
          symbol
LIMIT  50
