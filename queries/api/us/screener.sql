-- US stocks that meet limits on ratios, size, strength and score, at most 50.
--
-- A stock without a figure does not meet a limit on it and comes last when it is sorted by. Stocks that did not trade in the last
-- five sessions are left out.
--
-- tool:   us_screen_stocks
-- tier:   api_pro
-- group:  US Markets
-- answer: list
-- param:  sector       text? among sectors.sector "Only this sector; capitals do not matter."
-- param:  min_mcap_b   number? "Smallest market capitalisation, USD billion." e.g. 1
-- param:  max_mcap_b   number? "Largest market capitalisation, USD billion."
-- param:  max_pe       number? "Largest price to earnings." e.g. 60
-- param:  min_roe      number? "Smallest return on equity, percent." e.g. 5
-- param:  min_opm      number? "Smallest operating margin, percent." e.g. 5
-- param:  max_de       number? "Largest debt to equity." e.g. 3
-- param:  min_rs       int? in 1..99 "Smallest relative-strength rating." e.g. 10
-- param:  above_sma50  int? in 0..1 "1: only stocks above their mean of 50 bars."
-- param:  above_sma200 int? in 0..1 "1: only stocks above their mean of 200 bars."
-- param:  min_score    number? in 0..10 "Smallest overall score of the scorecard."
-- param:  sort_by      text = rs_rating in (rs_rating, market_cap_b, roe, opm_pct, overall_score) "Column to sort by, the largest first." e.g. roe
SELECT symbol,
       company_name,
       sector,
       industry,
       market_cap_b,
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
       sma_50,
       sma_200,
       overall_score,
       ttm_period,
       session
FROM   screen
WHERE  ($sector IS NULL OR sector = $sector)
AND    ($min_mcap_b IS NULL OR market_cap_b >= $min_mcap_b)
AND    ($max_mcap_b IS NULL OR market_cap_b <= $max_mcap_b)
AND    ($max_pe IS NULL OR pe <= $max_pe)
AND    ($min_roe IS NULL OR roe >= $min_roe)
AND    ($min_opm IS NULL OR opm_pct >= $min_opm)
AND    ($max_de IS NULL OR de <= $max_de)
AND    ($min_rs IS NULL OR rs_rating >= $min_rs)
AND    ($above_sma50 IS NULL OR $above_sma50 = 0 OR price_cmp > sma_50)
AND    ($above_sma200 IS NULL OR $above_sma200 = 0 OR price_cmp > sma_200)
AND    ($min_score IS NULL OR overall_score >= $min_score)
ORDER  BY CASE $sort_by
              WHEN 'market_cap_b'  THEN market_cap_b
              WHEN 'roe'           THEN roe
              WHEN 'opm_pct'       THEN opm_pct
              WHEN 'overall_score' THEN overall_score
              ELSE CAST(rs_rating AS DOUBLE)
          END DESC NULLS LAST,
          symbol
LIMIT  50
