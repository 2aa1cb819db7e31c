-- Stocks that pass a scan, the best effective score first.
--
-- The score is the mean of three percentiles among all stocks: rating, nearness to the high, relative volume. The effective
-- score has 10 more for a volatility contraction pattern, at most 100. `all` is any of the scans. Listed are stocks that can be traded
-- unless all are asked for.
--
-- tool:   us_market_trader_scan
-- tier:   api_pro
-- group:  US Markets
-- answer: stocks
-- optional: scans, stocks
-- wrap:   scan_type = $scan_type
-- wrap:   scan_label = label $scan_type (all "Any scan", stage2nh "Stage 2 and near the 52-week high", stage2 "Stage 2 advance", nearHigh "Near the 52-week high", highVol "Up on high volume", brs "Ready to break out", vcp "Volatility contraction pattern")
-- wrap:   liquidity = $liquidity
-- wrap:   last_updated = updated scans
-- wrap:   source_table = table scans
-- wrap:   cron_schedule = schedule scans
-- wrap:   cron_timezone = zone
-- wrap:   is_stale = stale scans
-- wrap:   stale_after_hours = stale_after_hours scans
-- param:  scan_type text = all in (all, stage2nh, stage2, nearHigh, highVol, brs, vcp) "Scan to answer." e.g. stage2
-- param:  limit     int in 1..1000000 tier-capped "Rows to return; the key's tier says how many at the most." e.g. 10
-- param:  liquidity text = tradable in (tradable, all) "tradable: stocks with a median turnover of at least USD 0.5 million over their last 20 bars and a bar in the last five sessions; all: every stock." e.g. all
SELECT c.symbol,
       s.company_name,
       s.sector,
       c.effective_score,
       c.score,
       s.rs_rating,
       s.price_cmp,
       s.change_pct,
       s.rvol_20,
       s.pct_from_high,
       s.stage,
       c.template_count,
       c.vcp,
       c.vcp_pivot,
       c.vcp_pivot_distance,
       c.brs,
       c.scan_count,
       c.rs_line_new_high,
       c.benchmark,
       s.market_cap_b,
       s.median_turnover_usd_m,
       s.is_tradable,
       s.session,
       s.universe,
       s.universe_as_of
FROM   scans c
JOIN   stocks s ON s.symbol = c.symbol
WHERE  CASE $scan_type
           WHEN 'all'      THEN c.in_any
           WHEN 'stage2nh' THEN c.in_stage2_near_high
           WHEN 'stage2'   THEN c.in_stage2
           WHEN 'nearHigh' THEN c.in_near_high
           WHEN 'highVol'  THEN c.in_high_vol
           WHEN 'brs'      THEN c.in_brs
           WHEN 'vcp'      THEN c.is_eligible AND c.vcp
       END
AND    ($liquidity = 'all' OR s.is_tradable)
ORDER  BY c.effective_score DESC NULLS LAST, s.rs_rating DESC NULLS LAST, c.symbol
LIMIT  $limit
