-- Stocks that pass a scan, the best effective score first.
--
-- The score is the mean of three percentiles among all stocks: rating, nearness to the high, relative volume. The effective score adds 10
-- for a volatility contraction pattern, up to 100. `all` means any of the scans. The answer lists only tradable stocks unless
-- `liquidity=all`.
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
-- param:  liquidity text = tradable in (tradable, all) "tradable: a median turnover of USD 0.5 million or more, traded of late; all: every stock." e.g. all
-- param:  explain   list? of companies.symbol "Symbols with commas between: their conditions instead of the list."
-- column: in_scan         bool   "Whether the stock is in the scan that was asked."
-- column: passed_count    int count "Conditions that hold."
-- column: condition_count int count "Conditions there are."
-- column: conditions      rows?  "Each condition with the figure of the stock; in a scan, those of `every` and `tradable` are asked of all."

-- when: explain absent
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
       s.market_cap_assumed,
       s.median_turnover_usd_m,
       s.is_tradable,
       s.session,
       s.universe,
       s.universe_as_of,
       s.universe_assumed
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

-- when: explain present
WITH explained AS (
    SELECT symbol,
           COUNT(*) FILTER (WHERE passes) AS passed_count,
           COUNT(*)                       AS condition_count,
           array_agg(named_struct(
               'scan', scan,
               'condition_name', condition_name,
               'figure', figure,
               'relation', relation,
               'threshold', threshold,
               'passes', passes,
               'distance_pct', distance_pct
           ) ORDER BY scan, place) AS conditions
    FROM   scan_conditions e
    WHERE  array_has($explain, symbol)
    AND    (e.scan = 'every'
            OR e.scan = 'tradable' AND $liquidity = 'tradable'
            OR CASE $scan_type
                    WHEN 'all'      THEN e.scan IN ('stage2', 'nearHigh', 'highVol', 'vcp', 'brs')
                    WHEN 'stage2nh' THEN e.scan IN ('stage2', 'nearHigh')
                    ELSE e.scan = $scan_type
                END)
    GROUP  BY symbol
)
SELECT o.symbol,
       o.company_name,
       COALESCE(CASE $scan_type
           WHEN 'all'      THEN c.in_any
           WHEN 'stage2nh' THEN c.in_stage2_near_high
           WHEN 'stage2'   THEN c.in_stage2
           WHEN 'nearHigh' THEN c.in_near_high
           WHEN 'highVol'  THEN c.in_high_vol
           WHEN 'brs'      THEN c.in_brs
           WHEN 'vcp'      THEN c.is_eligible AND c.vcp
       END, FALSE) AND ($liquidity = 'all' OR COALESCE(s.is_tradable, FALSE)) AS in_scan,
       x.passed_count,
       x.condition_count,
       x.conditions
FROM   companies o
LEFT   JOIN scans c ON c.symbol = o.symbol
LEFT   JOIN stocks s ON s.symbol = o.symbol
LEFT   JOIN explained x ON x.symbol = o.symbol
WHERE  array_has($explain, o.symbol)
ORDER  BY o.symbol
