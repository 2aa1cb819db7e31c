-- Counts of scans and of the template's conditions are those of the flags beside them.
--
-- A count over flags is null where a flag is. A contraction counts where the stock has traded recently.
--
-- severity: row
WITH counted AS (
  SELECT symbol, scan_count, template_count, trend_template, in_all_three, in_stage2_near_high,
         in_stage2, in_near_high, in_high_vol,
         in_stage2::int + in_near_high::int + in_high_vol::int + (is_eligible AND vcp)::int + in_brs::int AS scans,
         above_sma_150_200::int + sma_150_above_200::int + sma_200_rising::int + sma_50_above_150_200::int
           + above_sma_50::int + above_low_30::int + near_high_25::int + rs_70::int AS conditions
  FROM   scans
)
SELECT symbol, scan_count, scans, template_count, conditions, trend_template, in_all_three, in_stage2_near_high
FROM   counted
WHERE  scan_count <> scans
   OR  template_count <> conditions
   OR  trend_template <> (conditions = 8)
   OR  (in_all_three AND NOT (in_stage2 AND in_near_high AND in_high_vol))
   OR  (in_stage2_near_high AND NOT (in_stage2 AND in_near_high))
ORDER  BY symbol
