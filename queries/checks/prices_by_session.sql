-- The last session's prices are the same by symbol and by session.
--
-- severity: error
WITH by_symbol AS (
  SELECT p.symbol, p.close * p.cumulative_split_factor AS adj_close, p.volume / p.cumulative_split_factor AS adj_volume
  FROM   daily_prices AS p
  WHERE  p.session = as_of()
),
by_session AS (
  SELECT p.symbol, p.adj_close, p.adj_volume
  FROM   session_prices AS p
  WHERE  p.session = as_of()
)
SELECT coalesce(a.symbol, b.symbol) AS symbol, a.adj_close AS by_symbol, b.adj_close AS by_session,
       a.adj_volume AS volume_by_symbol, b.adj_volume AS volume_by_session
FROM   by_symbol AS a
       FULL JOIN by_session AS b ON b.symbol = a.symbol
WHERE  a.symbol IS NULL
   OR  b.symbol IS NULL
   OR  abs(a.adj_close - b.adj_close) > 1e-6 * a.adj_close
   OR  abs(a.adj_volume - b.adj_volume) > 1e-6 * a.adj_volume
ORDER  BY 1
