-- Stocks whose relative-strength rating moved most over the last sessions.
--
-- The ratings at both ends use one formula and the same rule for the universe; a stock that was not rated at both ends is left out. The
-- answer lists only tradable stocks unless `liquidity=all`.
--
-- tool:   get_rs_changes
-- tier:   api_pro
-- group:  Market Intel
-- answer: list
-- page:   rs-changes *
-- picture: ranking title="RS ratings that moved most" of=symbol value=rs_delta:"Change of the rating"
-- param:  days      int = 10 in 1..30     "Sessions to look back." e.g. 10
-- param:  direction text = gainers in (gainers, losers, all) "Which side to keep." e.g. all
-- param:  min_delta int = 15 in 0..98     "Smallest change of the rating, whatever its sign." e.g. 5
-- param:  sector    text? among sectors.sector "Only this sector; capitals do not matter."
-- param:  limit     int = 25 in 1..50     "Rows to return." e.g. 10
-- param:  liquidity text = tradable in (tradable, all) "tradable: a median turnover of INR 0.5 crore or more, traded recently; all: every stock." e.g. all
-- column: liquidity text "Which stocks are listed: tradable or all."
-- column: rs_now    int rating "Relative-strength rating now."
-- column: rs_then   int rating "Relative-strength rating at the earlier session."
-- column: rs_delta  int points "Rating now less the earlier rating."
-- column: session_then date "The earlier session."
-- us-names: market_cap_cr = market_cap_b, median_turnover_cr = median_turnover_usd_m
-- us-param: liquidity text = tradable in (tradable, all) "tradable: a median turnover of USD 0.5 million or more, traded recently; all: every stock." e.g. all
-- also: explore/rs-changes, us/explore/rs-changes
-- explore-title: Explorer: stocks whose relative-strength rating moved most over up to a year, or over the sessions you choose
-- explore-prose: An operation of the explorer. The ratings at both ends use one formula and the same rule for the universe; a stock that
-- explore-prose: was not rated at both ends is left out. The answer lists only tradable stocks unless `liquidity=all`.
-- explore-tool:   none
-- own-omit: industry
-- explore-group:  Explorer
-- explore-param:  days      int = 10 in 1..252    "Sessions to look back." e.g. 21
-- explore-param:  limit     int = 50 in 1..400    "Rows to return." e.g. 10
SELECT s.symbol,
       s.company_name,
       s.sector,
       s.industry,
       s.rs_rating                  AS rs_now,
       past.rs_rating               AS rs_then,
       s.rs_rating - past.rs_rating AS rs_delta,
       now.session,
       past.session                 AS session_then,
       u.universe_assumed,
       s.price_cmp,
       s.market_cap_cr,
       s.market_cap_assumed,
       s.median_turnover_cr,
       s.is_tradable,
       CASE $liquidity WHEN 'all' THEN 'all' ELSE 'tradable' END AS liquidity
FROM   (SELECT symbol, session, rs_rating FROM rs_history WHERE session = session_ago($days)) past
JOIN   (SELECT session FROM sessions WHERE session = as_of()) now ON TRUE
JOIN   universe u ON u.session = past.session
JOIN   stocks s ON s.symbol = past.symbol
WHERE  abs(s.rs_rating - past.rs_rating) >= $min_delta
AND    ($liquidity = 'all' OR s.is_tradable)
AND    CASE $direction
           WHEN 'gainers' THEN s.rs_rating > past.rs_rating
           WHEN 'losers'  THEN s.rs_rating < past.rs_rating
           ELSE TRUE
       END
AND    ($sector IS NULL OR s.sector = $sector)
ORDER  BY CASE $direction
              WHEN 'gainers' THEN past.rs_rating - s.rs_rating
              WHEN 'losers'  THEN s.rs_rating - past.rs_rating
              ELSE -abs(s.rs_rating - past.rs_rating)
          END,
          s.symbol
LIMIT  $limit
