-- An industry's stage is 0 in a broad correction alone: when industries have a stage by the rule and none has 2.
--
-- Otherwise it is what the rule says, and where that is nothing a reason is beside it.
--
-- severity: error
WITH market AS (
  SELECT count(raw_stage) > 0 AND count(*) FILTER (WHERE raw_stage = 2) = 0 AS is_correction
  FROM   industry_stages
)
SELECT i.industry, i.stage, i.raw_stage, i.stage_reason
FROM   industry_stages AS i
       CROSS JOIN market AS m
WHERE  (i.stage IS DISTINCT FROM CASE WHEN m.is_correction THEN 0 ELSE i.raw_stage END)
   OR  (coalesce(i.stage, 0) = 0) <> (i.stage_reason IS NOT NULL)
ORDER  BY i.industry
