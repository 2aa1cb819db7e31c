-- The strongest stocks by relative-strength rating.
--
-- A rating of 90 or more is elite momentum. Equal ratings are ordered by their score. Every stock is rated and ranked; the answer lists
-- only tradable stocks unless `liquidity=all`.
--
-- tool:   get_market_momentum
-- tier:   free
-- group:  Core
-- answer: stocks
-- page:   leaders *
-- picture: ranking title="Strongest stocks" of=symbol value=rs_rating:"RS rating"
-- wrap:   sorted_by = 'rs_rating'
-- wrap:   liquidity = $liquidity
-- wrap:   as_of = as_of
-- param:  sector text? among sectors.sector "Only this sector; capitals do not matter." e.g. Financial Services
-- param:  limit  int in 1..1000000 tier-capped   "Rows to return; the key's tier says how many at the most." e.g. 10
-- param:  liquidity text = tradable in (tradable, all) "tradable: a median turnover of INR 0.5 crore or more, traded recently; all: every stock." e.g. all
-- column: elite  bool "Whether the rating is 90 or more."
-- also: us
-- india-omit: industry
-- us-title: The strongest US stocks by relative-strength rating
-- us-names: market_cap_cr = market_cap_b, median_turnover_cr = median_turnover_usd_m
-- us-tool:   us_market_momentum
-- us-group:  US Markets
-- us-param:  sector text? among sectors.sector "Only this sector; capitals do not matter." e.g. Technology
-- us-param:  liquidity text = tradable in (tradable, all) "tradable: a median turnover of USD 0.5 million or more, traded recently; all: every stock." e.g. all
SELECT symbol,
       company_name,
       sector,
       industry,
       rs_rating,
       rs_rank,
       rs_rating >= 90 AS elite,
       rs_trend_30d,
       price_cmp,
       change_pct,
       pct_from_high,
       ema_alignment,
       market_cap_cr,
       market_cap_assumed,
       median_turnover_cr,
       is_tradable,
       session,
       universe,
       universe_as_of,
       universe_assumed
FROM   stocks
WHERE  rs_rating IS NOT NULL
AND    ($liquidity = 'all' OR is_tradable)
AND    ($sector IS NULL OR sector = $sector)
ORDER  BY rs_rating DESC, rs_score DESC, symbol
LIMIT  $limit
