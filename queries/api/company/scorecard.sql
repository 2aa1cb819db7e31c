-- Scorecard of a company: five dimensions and an overall score, 0 to 10; without a symbol, the best companies.
--
-- A dimension is a tenth of the mean percentile of its ratios within the sector. It is null where one of them is not known, and the
-- overall score is null without all five; `inputs_missing` names what is not known.
--
-- tool:   get_company_scorecard
-- tier:   api_pro
-- group:  AI Content
-- answer: list
-- param:  symbol text? "Symbol of the company on NSE; left out, the companies by their overall score." e.g. BAXURATECH
-- param:  limit  int = 50 in 1..100 "Rows of the list to return." e.g. 10

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
       period,
       market_cap_cr,
       price_cmp,
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
       inputs_known,
       inputs_missing,
       period,
       period_end,
       market_cap_cr,
       price_cmp,
       rs_rating
FROM   scorecards
WHERE  symbol = $symbol
