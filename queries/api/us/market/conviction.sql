-- Stocks that pass several scans at once, those with the most first.
--
-- Counted are stage2, nearHigh, highVol, vcp and brs; a stock of which one is not known, as for want of bars, has no count. Listed
-- are stocks that can be traded unless all are asked for; the scores are among all.
--
-- tool:   us_get_conviction_ranking
-- tier:   api_pro
-- group:  US Markets
-- answer: list
-- param:  min_scans int = 2 in 1..5 "Scans a stock passes at the least."
-- param:  sector text? among sectors.sector "Only this sector; capitals do not matter." e.g. Technology
-- param:  limit int = 40 in 1..100 "Rows to return." e.g. 10
-- param:  liquidity text = tradable in (tradable, all) "tradable: a median turnover of USD 0.5 million or more, traded of late; all: every stock." e.g. all
-- column: liquidity text "Which stocks are listed: tradable or all."
SELECT c.symbol,
       s.company_name,
       s.sector,
       c.scan_count,
       c.in_stage2,
       c.in_near_high,
       c.in_high_vol,
       c.vcp,
       c.in_brs,
       c.score,
       c.brs,
       s.rs_rating,
       s.price_cmp,
       s.change_pct,
       s.market_cap_b,
       s.median_turnover_usd_m,
       s.is_tradable,
       CASE $liquidity WHEN 'all' THEN 'all' ELSE 'tradable' END AS liquidity,
       s.session,
       s.universe,
       s.universe_as_of
FROM   scans c
JOIN   stocks s ON s.symbol = c.symbol
WHERE  c.is_eligible
AND    c.scan_count >= $min_scans
AND    ($liquidity = 'all' OR s.is_tradable)
AND    ($sector IS NULL OR s.sector = $sector)
ORDER  BY c.scan_count DESC, c.score DESC NULLS LAST, c.symbol
LIMIT  $limit
