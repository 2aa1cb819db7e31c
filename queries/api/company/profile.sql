-- Profile of a company: identity, market data, core ratios, growth, quality and technical levels.
--
-- Prices are those of the last bar, adjusted; figures that need financial statements are null where there are none.
--
-- tool:   get_company_profile
-- tier:   free
-- group:  Core
-- answer: one
-- optional: fundamentals, latest_pledges
-- free-symbols: yes
-- column: price_date date "Session of the price."
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
SELECT s.symbol,
       s.company_name,
       s.sector,
       s.industry,
       s.market_cap_cr,
       s.price_cmp,
       f.pe,
       f.pb,
       f.roce,
       f.roe,
       f.de,
       f.opm_pct,
       f.revenue_cagr_5y,
       f.pat_cagr_5y,
       f.fcf_yield,
       p.pledge_pct,
       s.rs_rating,
       s.rs_rank,
       s.wk52_high,
       s.wk52_low,
       s.ema_10,
       s.ema_21,
       f.altman_z_score,
       f.altman_model,
       f.profitable_years_10y,
       f.ttm_period,
       f.basis,
       s.session AS price_date
FROM   stocks s
LEFT   JOIN fundamentals f ON f.symbol = s.symbol
LEFT   JOIN latest_pledges p ON p.symbol = s.symbol
WHERE  s.symbol = $symbol
