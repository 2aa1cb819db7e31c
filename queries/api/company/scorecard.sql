-- Scorecard of a company: five dimensions and an overall score, 0 to 10; without a symbol, the best companies.
--
-- A dimension is a tenth of the mean percentile of its ratios among the sector's companies, over the ratios that are known and apply to the
-- kind of business; it is null with less than half of them. The overall score is the mean of the dimensions, null with fewer than four.
-- `inputs_missing` names the unknown ratios. A ratio that fewer than five companies of the sector have is ranked in the whole market, and
-- `ranked_in_market` names it. Banks, lenders and insurers are ranked among each other, by ratios of their own.
--
-- tool:   get_company_scorecard
-- tier:   api_pro
-- group:  AI Content
-- answer: list
-- param:  symbol text? "Symbol of the company on NSE; if omitted, the companies by their overall score." e.g. BAXURATECH
-- param:  limit  int = 50 in 1..100 "Rows of the list to return." e.g. 10
-- also:   us
-- us-tool:  us_get_company_scorecard
-- us-group: US Markets
-- us-names: market_cap_cr = market_cap_b
-- us-param: symbol text? "Ticker of the company; if omitted, the companies by their overall score." e.g. BAQEBO

-- when: symbol absent
SELECT overall_rank,
       symbol,
       company_name,
       sector,
       industry,
       overall_score,
       financial_health,
       growth_prospects,
       competitive_position,
       management_quality,
       valuation,
       dimensions_known,
       inputs_known,
       inputs_missing,
       business_kind,
       peer_group,
       period,
       market_cap_cr,
       market_cap_assumed,
       price_cmp,
       session,
       rs_rating
FROM   scorecards
WHERE  overall_score IS NOT NULL
ORDER  BY overall_score DESC, symbol
LIMIT  $limit

-- when: symbol present
-- answer: one
SELECT symbol,
       company_name,
       sector,
       industry,
       overall_score,
       overall_rank,
       sector_rank,
       financial_health,
       growth_prospects,
       competitive_position,
       management_quality,
       valuation,
       dimensions_known,
       inputs_known,
       inputs_missing,
       unscored_because,
       business_kind,
       peer_group,
       ranked_in_market,
       period,
       period_end,
       market_cap_cr,
       market_cap_assumed,
       price_cmp,
       session,
       rs_rating
FROM   scorecards
WHERE  symbol = $symbol
