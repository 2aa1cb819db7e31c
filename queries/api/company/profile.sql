-- Profile of a company: identity, market data, core ratios, growth, quality, strength and technical levels.
--
-- Prices are those of the last bar, adjusted; figures that need financial statements are null without them.
--
-- tool:   get_company_profile
-- tier:   free
-- group:  Core
-- answer: one
-- free-symbols: yes
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- also: us
-- us-title: Profile of a US company: identity, market data, core ratios, growth, quality, strength and technical levels
-- us-names: market_cap_cr = market_cap_b, median_turnover_cr = median_turnover_usd_m
-- us-tool:   us_get_company_profile
-- us-group:  US Markets
-- us-param:  symbol text "Ticker of the company." e.g. BAQEBO
SELECT symbol,
       company_name,
       sector,
       sector_source,
       industry,
       exchange,
       market_cap_cr,
       market_cap_assumed,
       cap_counted_in, -- only us
       price_cmp,
       session,
       change_pct,
       pe,
       pb,
       ps,
       ev_ebitda,
       roce,
       roe,
       de,
       opm_pct,
       net_margin_pct,
       revenue_cagr_5y,
       pat_cagr_5y,
       fcf_yield,
       dividend_yield,
       pledge_pct, -- only india
       altman_z_score,
       altman_model,
       piotroski_f,
       profitable_years_10y,
       overall_score,
       ttm_period,
       basis,
       rs_rating,
       rs_rank,
       rs_trend_30d,
       universe,
       universe_as_of,
       universe_assumed,
       wk52_high,
       wk52_low,
       pct_from_high,
       ema_10,
       ema_21,
       ema_50,
       ema_alignment,
       sma_50,
       sma_200,
       rsi_14,
       stage,
       median_turnover_cr,
       is_tradable
FROM   company_profiles -- only india
FROM   us_company_profiles -- only us
WHERE  symbol = $symbol
