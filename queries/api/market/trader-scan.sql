-- Stocks that pass a scan, the best score first.
--
-- The score is the mean of three percentiles among all stocks: rating, nearness to the high, relative volume; in scan `ipo` a stock without
-- a rating has the mean of the last two. The answer lists only tradable stocks unless `liquidity=all`.
--
-- tool:   market_trader_scan
-- tier:   api_pro
-- group:  Core
-- answer: stocks
-- optional: scans, stocks, scan_spells
-- wrap:   scan_type = $scan_type
-- wrap:   scan_label = label $scan_type (allThree "Stage 2, near the high, on high volume", stage2NearHigh "Stage 2 and near the 52-week high", vcp "Volatility contraction pattern", highVol "Up on high volume", stage2 "Stage 2 advance", brs "Ready to break out", volume "Twice the usual volume", ipo "Recent listing near its high")
-- wrap:   liquidity = $liquidity
-- wrap:   last_updated = updated scans
-- wrap:   source_table = table scans
-- wrap:   cron_schedule = schedule scans
-- wrap:   cron_timezone = zone
-- wrap:   is_stale = stale scans
-- wrap:   stale_after_hours = stale_after_hours scans
-- param:  scan_type text = allThree in (allThree, stage2NearHigh, vcp, highVol, stage2, brs, volume, ipo) "Scan to answer." e.g. stage2
-- param:  limit     int in 1..1000000 tier-capped rest-only "Rows to return; the key's tier says how many at the most." e.g. 10
-- param:  liquidity text = tradable in (tradable, all) "tradable: a median turnover of INR 0.5 crore or more, traded recently; all: every stock." e.g. all
-- param:  list      list? in 1..8 own-list rest-only "Only the stocks of these lists of yours, names with commas between."
-- param:  explain   list? of companies.symbol "Symbols with commas between: their conditions instead of the list."
-- column: in_scan         bool   "Whether the stock is in the requested scan."
-- column: passed_count    int count "Conditions that hold."
-- column: condition_count int count "Conditions there are."
-- column: conditions      rows?  "Each condition with the figure of the stock; in a scan, those of `every` and `tradable` apply to all."
-- also: us
-- us-title: Stocks that pass a scan, the best effective score first
-- us-prose: The score is the mean of three percentiles among all stocks: rating, nearness to the high, relative volume. The effective score
-- us-prose: adds 10 for a volatility contraction pattern, up to 100. `all` means any of the scans. The answer lists only tradable stocks
-- us-prose: unless `liquidity=all`.
-- us-names: market_cap_cr = market_cap_b, median_turnover_cr = median_turnover_usd_m
-- us-tool:   us_market_trader_scan
-- us-group:  US Markets
-- us-wrap:   scan_label = label $scan_type (all "Any scan", stage2nh "Stage 2 and near the 52-week high", stage2 "Stage 2 advance", nearHigh "Near the 52-week high", highVol "Up on high volume", brs "Ready to break out", vcp "Volatility contraction pattern")
-- us-param:  scan_type text = all in (all, stage2nh, stage2, nearHigh, highVol, brs, vcp) "Scan to answer." e.g. stage2
-- us-param:  limit     int in 1..1000000 tier-capped "Rows to return; the key's tier says how many at the most." e.g. 10
-- us-param:  liquidity text = tradable in (tradable, all) "tradable: a median turnover of USD 0.5 million or more, traded recently; all: every stock." e.g. all

-- india-when: explain absent
SELECT c.symbol,
       s.company_name,
       s.sector,
       CASE $scan_type WHEN 'ipo' THEN c.ipo_score ELSE c.score END AS score,
       s.price_cmp,
       s.change_pct,
       s.turnover_cr,
       s.rvol_20,
       s.pct_from_high,
       s.rs_rating,
       s.stage,
       c.template_count,
       c.vcp,
       c.vcp_pivot,
       c.vcp_pivot_distance,
       c.brs,
       c.scan_count,
       p.days_in_scan,
       c.rs_line_new_high,
       c.benchmark,
       c.listed_session,
       s.market_cap_cr,
       s.market_cap_assumed,
       s.median_turnover_cr,
       s.is_tradable,
       s.session,
       s.universe,
       s.universe_as_of,
       s.universe_assumed
FROM   scans c
JOIN   stocks s ON s.symbol = c.symbol
LEFT   JOIN scan_spells p
       ON p.symbol = c.symbol AND p.left_on IS NULL AND p.scan_name = $scan_type
WHERE  CASE $scan_type
           WHEN 'allThree'       THEN c.in_all_three
           WHEN 'stage2NearHigh' THEN c.in_stage2_near_high
           WHEN 'stage2'         THEN c.in_stage2
           WHEN 'highVol'        THEN c.in_high_vol
           WHEN 'volume'         THEN c.in_volume
           WHEN 'vcp'            THEN c.is_eligible AND c.vcp
           WHEN 'brs'            THEN c.in_brs
           WHEN 'ipo'            THEN c.in_ipo
       END
AND    ($liquidity = 'all' OR s.is_tradable)
AND    ($list IS NULL OR array_has($list, c.symbol))
ORDER  BY round(score, 1) DESC NULLS LAST, s.turnover_cr DESC NULLS LAST, c.symbol
LIMIT  $limit

-- us-when: explain absent
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
       p.days_in_scan,
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
LEFT   JOIN scan_spells p
       ON p.symbol = c.symbol AND p.left_on IS NULL
       AND p.scan_name = CASE $scan_type WHEN 'stage2nh' THEN 'stage2NearHigh' ELSE $scan_type END
WHERE  CASE $scan_type
           WHEN 'all'            THEN c.in_any
           WHEN 'stage2nh'       THEN c.in_stage2_near_high
           WHEN 'stage2'         THEN c.in_stage2
           WHEN 'nearHigh'       THEN c.in_near_high
           WHEN 'highVol'        THEN c.in_high_vol
           WHEN 'vcp'            THEN c.is_eligible AND c.vcp
           WHEN 'brs'            THEN c.in_brs
       END
AND    ($liquidity = 'all' OR s.is_tradable)
AND    ($list IS NULL OR array_has($list, c.symbol))
ORDER  BY round(c.effective_score, 1) DESC NULLS LAST, s.rs_rating DESC NULLS LAST, c.symbol
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
                    WHEN 'all'            THEN e.scan IN ('stage2', 'nearHigh', 'highVol', 'vcp', 'brs')
                    WHEN 'allThree'       THEN e.scan IN ('stage2', 'nearHigh', 'highVol')
                    WHEN 'stage2NearHigh' THEN e.scan IN ('stage2', 'nearHigh')
                    WHEN 'stage2nh'       THEN e.scan IN ('stage2', 'nearHigh')
                    ELSE e.scan = $scan_type
                END)
    GROUP  BY symbol
)
SELECT o.symbol,
       o.company_name,
       COALESCE(CASE $scan_type
           WHEN 'all'            THEN c.in_any
           WHEN 'allThree'       THEN c.in_all_three
           WHEN 'stage2NearHigh' THEN c.in_stage2_near_high
           WHEN 'stage2nh'       THEN c.in_stage2_near_high
           WHEN 'stage2'         THEN c.in_stage2
           WHEN 'nearHigh'       THEN c.in_near_high
           WHEN 'highVol'        THEN c.in_high_vol
           WHEN 'volume'         THEN c.in_volume
           WHEN 'vcp'            THEN c.is_eligible AND c.vcp
           WHEN 'brs'            THEN c.in_brs
           WHEN 'ipo'            THEN c.in_ipo
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
