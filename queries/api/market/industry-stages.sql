-- Industry stages: Weinstein's stage of every industry, those in stage 2 first.
--
-- Stage 0 stands for no judgement, `stage_reason` says why; in a broad correction, when no industry is in stage 2, all are 0
-- and `raw_stage` keeps what the rule says.
--
-- tool:   get_industry_stages
-- tier:   api_pro
-- group:  Market Intel
-- answer: list
SELECT industry,
       stage,
       raw_stage,
       stage_reason,
       stock_count,
       index_level,
       index_sma_150,
       index_slope,
       session
FROM   industry_stages
ORDER  BY CASE raw_stage WHEN 2 THEN 1 WHEN 1 THEN 2 WHEN 3 THEN 3 WHEN 4 THEN 4 ELSE 5 END,
          index_slope DESC NULLS LAST,
          industry
