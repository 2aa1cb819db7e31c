-- Chat: stocks that moved most over a session, a week or a month, with the period that they moved over.
--
-- A session is the market's last one, a week 5 of the stock's bars, a month 21. The answer lists only tradable stocks.
--
-- tool:   none
-- tier:   free
-- group:  Chat
-- answer: list
-- param:  direction text = gainers in (gainers, losers) "Which side to keep." e.g. losers
-- param:  period    text = 1d in (1d, 1w, 1m) "How far back: 1d is the last session, 1w 5 bars, 1m 21 bars." e.g. 1w
-- param:  limit     int = 5 in 1..25 "Rows to return." e.g. 3
-- column: return_pct number pct "Change of the adjusted close over the period."
-- column: return_period text "The period: the session, or the number of bars up to it."
-- also:   us
SELECT symbol,
       company_name,
       sector,
       CASE $period WHEN '1d' THEN change_pct WHEN '1w' THEN roc_5 ELSE roc_21 END AS return_pct,
       CASE $period WHEN '1d' THEN 'session ' WHEN '1w' THEN '5 bars to ' ELSE '21 bars to ' END || CAST(session AS TEXT) AS return_period,
       price_cmp,
       rs_rating,
       session
FROM   stocks
WHERE  is_tradable
AND    CASE $period WHEN '1d' THEN session = as_of() ELSE TRUE END
AND    CASE $direction WHEN 'gainers' THEN 1 ELSE -1 END * CASE $period WHEN '1d' THEN change_pct WHEN '1w' THEN roc_5 ELSE roc_21 END > 0
ORDER  BY CASE $direction WHEN 'gainers' THEN -1 ELSE 1 END * CASE $period WHEN '1d' THEN change_pct WHEN '1w' THEN roc_5 ELSE roc_21 END,
          symbol
LIMIT  $limit
