-- Profile of a US company: identity, market data, strength and technical levels.
--
-- Prices are those of the last bar, adjusted.
--
-- tool:   us_get_company_profile
-- tier:   free
-- group:  US Markets
-- answer: one
-- free-symbols: yes
-- column: price_date date "Session of the price."
-- param:  symbol text "Ticker of the company." e.g. BAQEBO
SELECT symbol,
       company_name,
       sector,
       industry,
       exchange,
       market_cap_b,
       price_cmp,
       change_pct,
       rs_rating,
       rs_rank,
       wk52_high,
       wk52_low,
       pct_from_high,
       sma_50,
       sma_200,
       ema_10,
       ema_21,
       rsi_14,
       stage,
       session AS price_date
FROM   stocks
WHERE  symbol = $symbol
