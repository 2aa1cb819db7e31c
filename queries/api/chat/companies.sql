-- Chat: up to twenty companies side by side: price, valuation, quality, growth, momentum, scores and who holds them.
--
-- Figures are those of the screener; changes over a year compare the newest quarter with the same quarter a year before. A figure that is
-- not known is null.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- optional: fundamentals, scorecards, scans, earnings
-- india-optional: latest_pledges, shareholding
-- param:  symbols list of companies.symbol in 1..20 "Symbols with commas between them." e.g. BAXIPAPOWR,TOXIFATELE
-- column: margin_change_yoy number? points "Operating margin less that of the same quarter a year before."
-- also:   us
-- us-names: market_cap_cr = market_cap_b
-- us-param: symbols list of companies.symbol in 1..20 "Tickers with commas between them." e.g. BAQEBO
SELECT k.symbol,
       k.company_name,
       k.sector,
       k.industry,
       k.price_cmp,
       k.change_pct,
       k.market_cap_cr,
       s.pe,
       s.pb,
       s.ev_ebitda,
       s.dividend_yield,
       s.fcf_yield,
       s.roe,
       s.roce,
       f.roa,
       s.de,
       s.opm_pct,
       f.net_margin_pct,
       s.altman_z_score,
       s.piotroski_f,
       s.revenue_growth_1y,
       s.pat_growth_1y,
       s.revenue_cagr_5y,
       s.pat_cagr_5y,
       e.quarter,
       e.revenue_growth_yoy,
       e.pat_growth_yoy,
       e.margin_change_yoy,
       e.ecs_score,
       k.rs_rating,
       k.rs_rank,
       k.rs_trend_30d,
       k.stage,
       k.pct_from_high,
       k.roc_21,
       b.roc_63,
       b.roc_252,
       k.rsi_14,
       k.rvol_20,
       c.vcp,
       c.scan_count,
       c.brs,
       c.score,
       c.rs_line_new_high,
       s.overall_score,
-- only india
       p.pledge_pct,
       h.promoter_pct,
       h.fii_pct,
       h.dii_pct,
-- all
       s.ttm_period,
       k.session
FROM   stocks k
LEFT   JOIN screen s ON s.symbol = k.symbol
LEFT   JOIN fundamentals f ON f.symbol = k.symbol
LEFT   JOIN latest_bars b ON b.symbol = k.symbol
LEFT   JOIN scans c ON c.symbol = k.symbol
LEFT   JOIN (SELECT * FROM earnings WHERE is_latest) e ON e.symbol = k.symbol
-- only india
LEFT   JOIN latest_pledges p ON p.symbol = k.symbol
LEFT   JOIN (SELECT symbol, promoter_pct, fii_pct, dii_pct
             FROM   (SELECT *, ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS turn
                     FROM   shareholding
                     WHERE  COALESCE(filed_on, period_end) <= as_of())
             WHERE  turn = 1) h ON h.symbol = k.symbol
-- all
WHERE  array_has($symbols, k.symbol)
ORDER  BY array_position($symbols, k.symbol)
