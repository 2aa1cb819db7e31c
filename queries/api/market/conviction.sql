-- Stocks that pass several scans at once, the most scans first.
--
-- The count covers the scans stage2, nearHigh, highVol, vcp and brs; a stock for which one of them is not known, for example because it has
-- too few bars, has no count. Scores compare all stocks; the answer lists only tradable stocks unless `liquidity=all`.
--
-- tool:   get_conviction_ranking
-- tier:   api_pro
-- group:  Market Intel
-- answer: list
-- param:  min_matches int = 3 in 1..5 "Fewest scans that a stock passes."
-- param:  sector text? among sectors.sector "Only this sector; capitals do not matter." e.g. Financial Services
-- param:  limit int = 25 in 1..50 "Rows to return." e.g. 10
-- param:  liquidity text = tradable in (tradable, all) "tradable: a median turnover of INR 0.5 crore or more, traded recently; all: every stock." e.g. all
-- column: liquidity text "Which stocks are listed: tradable or all."
-- also:   us
-- us-tool:  us_get_conviction_ranking
-- us-group: US Markets
-- us-names: min_matches = min_scans, market_cap_cr = market_cap_b, median_turnover_cr = median_turnover_usd_m
-- us-param: min_scans int = 2 in 1..1000000 "Fewest scans that a stock passes, of five."
-- us-param: sector text? among sectors.sector "Only this sector; capitals do not matter." e.g. Technology
-- us-param: limit int = 40 in 1..100 "Rows to return." e.g. 10
-- us-param: liquidity text = tradable in (tradable, all) "tradable: a median turnover of USD 0.5 million or more, traded recently; all: every stock." e.g. all
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
       s.market_cap_cr,
       s.market_cap_assumed,
       s.median_turnover_cr,
       s.is_tradable,
       CASE $liquidity WHEN 'all' THEN 'all' ELSE 'tradable' END AS liquidity,
       s.session,
       s.universe,
       s.universe_as_of,
       s.universe_assumed
FROM   scans c
JOIN   stocks s ON s.symbol = c.symbol
WHERE  c.is_eligible
AND    c.scan_count >= $min_matches
AND    ($liquidity = 'all' OR s.is_tradable)
AND    ($sector IS NULL OR s.sector = $sector)
ORDER  BY c.scan_count DESC, round(c.score, 1) DESC NULLS LAST, c.symbol
LIMIT  $limit
