-- Industry stages: Weinstein's stage of every industry, those in stage 2 first.
--
-- In a broad correction, when no industry is in stage 2, all stages are 0 and `raw_stage` keeps the stage by the rule. An industry with too
-- short a history has none. `stage_reason` says why a stage is 0 or null. If no company of the market has an industry, sectors replace
-- industries, and `grouped_by` is `sector`; a raw file `symbol,industry` of your own gives companies their industries.
--
-- tool:   get_industry_stages
-- tier:   api_pro
-- group:  Market Intel
-- answer: list
-- page:   industries *
-- coverage: industries
-- picture: ranking title="Industries by stage, then by the slope of their index" of=industry value=index_slope:"Change of the 150-bar mean over 20 sessions"
SELECT industry,
       stage,
       raw_stage,
       stage_reason,
       grouped_by,
       stock_count,
       index_level,
       index_sma_150,
       index_slope,
       weights_assumed,
       session
FROM   industry_stages
ORDER  BY CASE raw_stage WHEN 2 THEN 1 WHEN 1 THEN 2 WHEN 3 THEN 3 WHEN 4 THEN 4 ELSE 5 END,
          index_slope DESC NULLS LAST,
          industry
