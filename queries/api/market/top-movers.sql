-- Stocks that moved most in a session.
--
-- A date without a session means the last session before it, which every row names. Price and volume are in today's shares, adjusted for
-- later splits and bonuses. The answer lists only stocks that were tradable in that session unless `liquidity=all`.
--
-- tool:   get_top_movers
-- tier:   free
-- group:  Market Intel
-- answer: list
-- page:   movers *
-- picture: ranking title="Top movers" of=symbol value=change_pct:"Change"
-- param:  direction text = gainers in (gainers, losers, all) "Which side to keep; all orders by the size of the move." e.g. all
-- param:  date      date?              "Session to look at; if omitted, the last one."
-- param:  min_mcap  number?            "Smallest market capitalisation on that day, INR crore." e.g. 500
-- param:  limit     int = 20 in 1..25  "Rows to return." e.g. 5
-- param:  liquidity text = tradable in (tradable, all) "tradable: a median turnover of at least INR 0.5 crore up to the session; all: every stock." e.g. all
-- column: liquidity text "Which stocks are listed: tradable or all."
-- column: close     number price  "Closing price, adjusted."
-- column: volume    number shares "Shares traded, adjusted."
SELECT m.symbol,
       c.company_name,
       c.sector,
       m.session,
       m.adj_close / b.cumulative_split_factor_now  AS close,
       m.change_pct,
       m.adj_volume * b.cumulative_split_factor_now AS volume,
       m.turnover / 1e7   AS turnover_cr,
       m.market_cap / 1e7 AS market_cap_cr,
       m.market_cap_assumed,
       m.is_tradable,
       CASE $liquidity WHEN 'all' THEN 'all' ELSE 'tradable' END AS liquidity
FROM   session_prices m
JOIN   companies c ON c.symbol = m.symbol
JOIN   latest_bars b ON b.symbol = m.symbol
WHERE  m.session = session_on(COALESCE($date, as_of()))
AND    m.change_pct IS NOT NULL
AND    ($liquidity = 'all' OR m.is_tradable)
AND    ($min_mcap IS NULL OR NOT m.market_cap_assumed AND m.market_cap >= $min_mcap * 1e7)
AND    CASE $direction
           WHEN 'gainers' THEN m.change_pct > 0
           WHEN 'losers'  THEN m.change_pct < 0
           ELSE TRUE
       END
ORDER  BY CASE $direction
              WHEN 'gainers' THEN -m.change_pct
              WHEN 'losers'  THEN m.change_pct
              ELSE -abs(m.change_pct)
          END,
          m.symbol
LIMIT  $limit
