-- Explorer: heat map of all stocks, the largest first: size, sector and how far each moved.
--
-- An operation of the explorer. The rows are stocks that traded in the last five sessions, by market capitalisation; a company with several
-- classes of shares is listed under its main one. `move_pct` is the change over `window`. The picture groups the stocks by sector, and
-- with `sector` by industry.
--
-- tool:   none
-- tier:   api_pro
-- group:  Explorer
-- answer: list
-- page:   heat *
-- picture: heat_map title="Stocks by size and move" of=symbol size=market_cap_cr:"Market capitalisation" change=move_pct:"Change" group=sector
-- param:  window text = 1d in (1d, 1w, 1m, 3m, 6m, 1y) "The bars over which `move_pct` is taken: 1, 5, 21, 63, 126 or 252." e.g. 1w
-- param:  sector text? among sectors.sector "Only this sector; capitals do not matter." e.g. Utilities
-- param:  industry text? in 1..100 "Only this industry; capitals do not matter."
-- param:  limit  int = 500 in 1..5000 "Rows to return." e.g. 100
-- column: move_pct number? pct "Change of the adjusted close over the bars of `window`."
-- also:   us
-- us-names: market_cap_cr = market_cap_b

-- when: sector absent
-- when: sector present
-- picture: heat_map title="Stocks by size and move" of=symbol size=market_cap_cr:"Market capitalisation" change=move_pct:"Change" group=industry
SELECT s.symbol,
       s.company_name,
       s.sector,
       s.industry,
       s.price_cmp,
       s.market_cap_cr,
       s.market_cap_assumed,
       CASE $window
           WHEN '1d' THEN s.change_pct
           WHEN '1w' THEN b.roc_5
           WHEN '1m' THEN b.roc_21
           WHEN '3m' THEN b.roc_63
           WHEN '6m' THEN b.roc_126
           ELSE b.roc_252
       END AS move_pct,
       s.change_pct,
       b.roc_5,
       b.roc_21,
       b.roc_63,
       b.roc_126,
       b.roc_252,
       s.rs_rating,
       s.session
FROM   stocks s
JOIN   latest_bars b ON b.symbol = s.symbol
WHERE  s.market_cap IS NOT NULL
AND    s.cap_counted_in IS NULL
AND    s.session >= session_ago(4)
AND    ($sector IS NULL OR s.sector = $sector)
AND    ($industry IS NULL OR lower(s.industry) = lower($industry))
ORDER  BY s.market_cap DESC, s.symbol
LIMIT  $limit
