-- Chat: up to twenty companies side by side: price, valuation, quality, growth, momentum, scores and who holds them.
--
-- Figures are those of the screener; changes over a year compare the newest quarter with the same quarter a year before. A figure that is
-- not known is null; `stage_reason` and `figures_reason` say why. Valuation and returns are those of `ttm_period`, growth over a year and the
-- F-score those of `fiscal_period`.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- optional: fundamentals, scorecards, scans, earnings, statements, ratios
-- india-optional: latest_pledges, shareholding
-- param:  symbols list of companies.symbol in 1..20 "Symbols with commas between them." e.g. BAXIPAPOWR,MOQININETW
-- column: margin_change_yoy number? points "Operating margin less that of the same quarter a year before."
-- column: stage_reason text? "Why the stage is null or 0."
-- column: template_lacks text? "Conditions of Minervini's trend template that do not hold."
-- column: roe_percentile number? score "Percentile of the return on equity among the peers, 100 is best."
-- column: opm_percentile number? score "Percentile of the operating margin among the peers, 100 is best."
-- column: pe_percentile  number? score "Percentile of the price to earnings among the peers, 100 is cheapest."
-- column: percentile_peers text? "The peers of each of these: the sector, the market where fewer than five of the sector have the figure, or lenders."
-- column: figures_reason text? "Why figures of the statements are null."
-- column: dividend_yield_period text? "The fiscal year of the dividends in the yield, or that they are those announced in the last twelve months."
-- also:   us
-- us-omit: pledge_pct, promoter_pct, fii_pct, dii_pct
-- us-names: market_cap_cr = market_cap_b
-- us-param: symbols list of companies.symbol in 1..20 "Tickers with commas between them." e.g. BAQEBO,GEQOLI
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
       f.altman_zone,
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
       k.sma_50,
       k.sma_150,
       k.sma_200,
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
       c.template_count,
       NULLIF(CONCAT_WS(', ',
           CASE WHEN NOT c.above_sma_150_200 THEN 'price above sma_150 and sma_200' END,
           CASE WHEN NOT c.sma_150_above_200 THEN 'sma_150 above sma_200' END,
           CASE WHEN NOT c.sma_200_rising THEN 'sma_200 rising' END,
           CASE WHEN NOT c.sma_50_above_150_200 THEN 'sma_50 above sma_150 and sma_200' END,
           CASE WHEN NOT c.above_sma_50 THEN 'price above sma_50' END,
           CASE WHEN NOT c.above_low_30 THEN '30 % above the 52-week low' END,
           CASE WHEN NOT c.near_high_25 THEN 'at most 25 % below the 52-week high' END,
           CASE WHEN NOT c.rs_70 THEN 'RS rating of 70' END), '') AS template_lacks,
       s.overall_score,
       g.financial_health,
       g.growth_prospects,
       g.competitive_position,
       g.management_quality,
       g.valuation,
       a.roe_percentile,
       a.opm_percentile,
       a.pe_percentile,
       a.percentile_peers,
       p.pledge_pct,
       h.promoter_pct,
       h.fii_pct,
       h.dii_pct,
       s.ttm_period,
       f.fiscal_period,
       f.balance_date,
       CASE
           WHEN f.dividend_yield IS NOT NULL THEN f.fiscal_period
           WHEN s.dividend_yield IS NOT NULL THEN 'announced in the last twelve months'
       END AS dividend_yield_period,
       c.listed_session,
       CASE WHEN k.stage IS NULL OR k.rs_rating IS NULL THEN
           CONCAT_WS('; ',
               CASE WHEN b.bar_count < 253 THEN
                   CAST(b.bar_count AS TEXT) || ' bars since ' || CAST(b.first_bar AS TEXT) || ': a stage needs 170, a rating 253' END,
               CASE WHEN k.session < session_ago(4) THEN 'not rated, as the last bar is of ' || CAST(k.session AS TEXT) END,
               CASE WHEN k.stage IS NULL AND b.bar_count >= 170 THEN 'no clear trend in 170 bars since the start or the last price jump' END,
               CASE WHEN k.rs_rating IS NULL AND b.bar_count >= 253 AND k.session >= session_ago(4) THEN 'fewer than 253 bars since the last price jump' END)
       END AS stage_reason,
       CASE
           WHEN f.unvalued_because IS NOT NULL THEN f.unvalued_because
           WHEN s.pe IS NULL OR s.roe IS NULL THEN
               CAST(COALESCE(t.quarter_count, 0) AS TEXT) || ' quarters and ' || CAST(COALESCE(t.year_count, 0) AS TEXT)
               || ' years of statements on file; P/E needs a profit, ROE equity now and a year before'
       END AS figures_reason,
       k.session
FROM   stocks k
LEFT   JOIN screen s ON s.symbol = k.symbol
LEFT   JOIN fundamentals f ON f.symbol = k.symbol
LEFT   JOIN latest_bars b ON b.symbol = k.symbol
LEFT   JOIN scans c ON c.symbol = k.symbol
LEFT   JOIN (SELECT * FROM earnings WHERE is_latest) e ON e.symbol = k.symbol
LEFT   JOIN scorecards g ON g.symbol = k.symbol
LEFT   JOIN (SELECT symbol,
                    MAX(peer_percentile) FILTER (WHERE ratio_code = 'roe')     AS roe_percentile,
                    MAX(peer_percentile) FILTER (WHERE ratio_code = 'opm_pct') AS opm_percentile,
                    MAX(peer_percentile) FILTER (WHERE ratio_code = 'pe')      AS pe_percentile,
                    NULLIF(CONCAT_WS(', ', 'roe: ' || MAX(peer_group) FILTER (WHERE ratio_code = 'roe'),
                                     'opm: ' || MAX(peer_group) FILTER (WHERE ratio_code = 'opm_pct'),
                                     'pe: ' || MAX(peer_group) FILTER (WHERE ratio_code = 'pe')), '') AS percentile_peers
             FROM   ratios
             WHERE  array_has($symbols, symbol)
             GROUP  BY symbol) a ON a.symbol = k.symbol
LEFT   JOIN latest_pledges p ON p.symbol = k.symbol
LEFT   JOIN (SELECT symbol, promoter_pct, fii_pct, dii_pct
             FROM   (SELECT *, ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS turn
                     FROM   shareholding
                     WHERE  COALESCE(filed_on, period_end) <= as_of())
             WHERE  turn = 1) h ON h.symbol = k.symbol
LEFT   JOIN (SELECT symbol,
                    COUNT(*) FILTER (WHERE period_type = 'quarterly') AS quarter_count,
                    COUNT(*) FILTER (WHERE period_type = 'annual')    AS year_count
             FROM   statements
             WHERE  array_has($symbols, symbol)
             AND    announced_on <= as_of()
             GROUP  BY symbol) t ON t.symbol = k.symbol
WHERE  array_has($symbols, k.symbol)
ORDER  BY array_position($symbols, k.symbol)
