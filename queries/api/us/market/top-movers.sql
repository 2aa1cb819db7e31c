-- US stocks that moved most over a week or a month.
--
-- A week is 5 of the stock's bars, a month 21, up to its last bar, whose session every row names. The answer lists only stocks that traded
-- in the last five sessions, and of these only tradable ones unless `liquidity=all`.
--
-- tool:   us_get_top_movers
-- tier:   free
-- group:  US Markets
-- answer: list
-- page:   movers *
-- picture: ranking title="Top movers" of=symbol value=return_pct:"Change over the period"
-- param:  direction  text = gainers in (gainers, losers) "Which side to keep."
-- param:  period     text = 1m in (1w, 1m) "How far back: 1w is 5 bars, 1m is 21." e.g. 1w
-- param:  sector     text? among sectors.sector "Only this sector; capitals do not matter." e.g. Technology
-- param:  min_mcap_b number? "Smallest market capitalisation, USD billion." e.g. 0.1
-- param:  limit      int = 20 in 1..25 "Rows to return." e.g. 5
-- param:  liquidity  text = tradable in (tradable, all) "tradable: a median turnover of USD 0.5 million or more, traded recently; all: every stock." e.g. all
-- column: liquidity text "Which stocks are listed: tradable or all."
-- column: return_pct number pct "Change of the adjusted close over the period."
SELECT symbol,
       company_name,
       sector,
       CASE $period WHEN '1w' THEN roc_5 ELSE roc_21 END AS return_pct,
       change_pct,
       price_cmp,
       market_cap_b,
       market_cap_assumed,
       median_turnover_usd_m,
       is_tradable,
       CASE $liquidity WHEN 'all' THEN 'all' ELSE 'tradable' END AS liquidity,
       rs_rating,
       session
FROM   stocks
WHERE  session >= session_ago(4)
AND    ($liquidity = 'all' OR is_tradable)
AND    CASE $direction WHEN 'gainers' THEN 1 ELSE -1 END * CASE $period WHEN '1w' THEN roc_5 ELSE roc_21 END > 0
AND    ($sector IS NULL OR sector = $sector)
AND    ($min_mcap_b IS NULL OR NOT market_cap_assumed AND market_cap_b >= $min_mcap_b)
ORDER  BY CASE $direction WHEN 'gainers' THEN -1 ELSE 1 END * CASE $period WHEN '1w' THEN roc_5 ELSE roc_21 END,
          symbol
LIMIT  $limit
