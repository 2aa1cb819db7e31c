-- Profile of a US company: identity, market data, core ratios, growth, quality, strength and technical levels.
--
-- Prices are those of the last bar, adjusted; figures that need financial statements are null where there are none.
--
-- tool:   us_get_company_profile
-- tier:   free
-- group:  US Markets
-- answer: one
-- optional: fundamentals, scorecards
-- free-symbols: yes
-- column: price_date date "Session of the price."
-- param:  symbol text "Ticker of the company." e.g. BAQEBO
SELECT s.symbol,
       s.company_name,
       s.sector,
       s.industry,
       s.exchange,
       s.market_cap_b,
       s.price_cmp,
       s.change_pct,
       f.pe,
       f.pb,
       f.ps,
       f.ev_ebitda,
       f.roce,
       f.roe,
       f.de,
       f.opm_pct,
       f.net_margin_pct,
       f.revenue_cagr_5y,
       f.pat_cagr_5y,
       f.fcf_yield,
       f.dividend_yield,
       f.altman_z_score,
       f.altman_model,
       f.piotroski_f,
       f.profitable_years_10y,
       c.overall_score,
       f.ttm_period,
       s.rs_rating,
       s.rs_rank,
       s.wk52_high,
       s.wk52_low,
       s.pct_from_high,
       s.sma_50,
       s.sma_200,
       s.ema_10,
       s.ema_21,
       s.rsi_14,
       s.stage,
       s.session AS price_date
FROM   stocks s
LEFT   JOIN fundamentals f ON f.symbol = s.symbol
LEFT   JOIN scorecards c ON c.symbol = s.symbol
WHERE  s.symbol = $symbol
