-- Momentum signals of a company: strength, trend, base and nearness to its high.
--
-- The rating compares the stock with the stocks of `universe`, the RS line with the benchmark. The eight conditions of the trend template
-- and the contraction pattern are those of the last bar.
--
-- tool:   get_momentum
-- tier:   free
-- group:  Core
-- answer: one
-- free-symbols: yes
-- column: stage2 bool? "Whether the stock is in stage 2, an advance."
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- also:   us
-- us-tool:  us_get_momentum
-- us-tier:  api_pro
-- us-group: US Markets
-- us-free-symbols: no
-- us-names: median_turnover_cr = median_turnover_usd_m
-- us-param: symbol text "Ticker of the company." e.g. BAQEBO
SELECT s.symbol,
       s.company_name,
       s.rs_rating,
       s.rs_rank,
       s.rs_trend_30d,
       s.rs_score,
       s.ema_alignment,
       s.ema_10,
       s.ema_21,
       s.ema_50,
       s.stage,
       s.stage = 2 AS stage2,
       c.vcp,
       c.vcp_contractions,
       c.vcp_depths,
       c.vcp_pivot,
       c.vcp_pivot_distance,
       s.price_cmp,
       s.is_tradable,
       s.median_turnover_cr,
       s.wk52_high,
       s.wk52_low,
       s.pct_from_high,
       c.trend_template,
       c.template_count,
       c.above_sma_150_200,
       c.sma_150_above_200,
       c.sma_200_rising,
       c.sma_50_above_150_200,
       c.above_sma_50,
       c.above_low_30,
       c.near_high_25,
       c.rs_70,
       c.rs_line,
       c.rs_line_high,
       c.rs_line_new_high,
       c.benchmark,
       c.brs,
       c.scan_count,
       s.rsi_14,
       s.rvol_20,
       s.universe,
       s.universe_as_of,
       s.universe_assumed,
       s.session
FROM   stocks s
LEFT   JOIN scans c ON c.symbol = s.symbol
WHERE  s.symbol = $symbol
