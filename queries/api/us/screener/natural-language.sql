-- US stocks that a sentence describes, with the criteria that it was read as.
--
-- The sentence becomes a tree of conditions over the screener's own fields, which is checked, run and shown under `criteria`; what was
-- not understood is listed. A language model reads it where the operator has configured one, else a grammar of our own; `read_by` says
-- which. Figures that are not known meet no condition.
--
-- tool:   us_screen_natural_language
-- tier:   api_max
-- group:  US Markets
-- answer: list
-- optional: fundamentals, scorecards
-- run:    natural_language
-- param:  query text in 1..200 "What is looked for, in plain English." e.g. technology stocks with ROE above 15 and low debt, strongest RS first
-- param:  limit int = 20 in 1..50 "Rows to return." e.g. 5
-- column: query          text  "The sentence."
-- column: criteria       row   "The tree of conditions that it was read as."
-- column: words          text  "The conditions in words."
-- column: sorted_by      text  "The field the rows are sorted by, and the direction."
-- column: read_by        text  "grammar or model."
-- column: not_understood texts "Words that carry a meaning and were not understood."
-- column: notes          texts "How words without a number were taken."
-- column: stocks         rows  "The stocks."
-- column: count          int   "Stocks that are returned."
-- column: total          int   "Stocks that meet the criteria."
SELECT symbol,
       company_name,
       sector,
       industry,
       market_cap_b,
       price_cmp,
       change_pct,
       pe,
       pb,
       ev_ebitda,
       roce,
       roe,
       de,
       opm_pct,
       fcf_yield,
       dividend_yield,
       revenue_growth_1y,
       pat_growth_1y,
       revenue_cagr_5y,
       pat_cagr_5y,
       altman_z_score,
       piotroski_f,
       rs_rating,
       rs_rank,
       stage,
       sma_50,
       sma_200,
       pct_from_high,
       overall_score,
       ttm_period,
       session
FROM   screen
ORDER  BY symbol
