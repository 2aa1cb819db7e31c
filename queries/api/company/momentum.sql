-- Momentum signals of a company: strength, trend and nearness to its high.
--
-- `stage2` and `ema_alignment` say how the price stands to its averages; the rating is held against the universe named beside it.
--
-- tool:   get_momentum
-- tier:   free
-- group:  Core
-- answer: one
-- free-symbols: yes
-- column: stage2 bool? "Whether the stock is in stage 2, an advance."
-- column: price_date date "Session of the price."
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
SELECT symbol,
       company_name,
       rs_rating,
       rs_rank,
       rs_trend_30d,
       rs_score,
       ema_alignment,
       ema_10,
       ema_21,
       ema_50,
       stage,
       stage = 2 AS stage2,
       price_cmp,
       wk52_high,
       wk52_low,
       pct_from_high,
       rsi_14,
       rvol_20,
       universe,
       universe_as_of,
       session AS price_date
FROM   stocks
WHERE  symbol = $symbol
