-- Profile of a company: identity, market data, core ratios, growth, quality and technical levels.
--
-- Prices are those of the last bar, adjusted; figures that need financial statements are null where there are none.
--
-- tool:   get_company_profile
-- tier:   free
-- group:  Core
-- answer: one
-- free-symbols: yes
-- column: price_date date "Session of the price."
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
SELECT symbol,
       company_name,
       sector,
       sector_source,
       industry,
       market_cap_cr,
       price_cmp,
       pe,
       pb,
       roce,
       roe,
       de,
       opm_pct,
       revenue_cagr_5y,
       pat_cagr_5y,
       fcf_yield,
       pledge_pct,
       rs_rating,
       rs_rank,
       wk52_high,
       wk52_low,
       ema_10,
       ema_21,
       altman_z_score,
       altman_model,
       profitable_years_10y,
       ttm_period,
       basis,
       session AS price_date
FROM   company_profiles
WHERE  symbol = $symbol
