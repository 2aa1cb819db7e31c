-- Chat: the highest correlations among some stocks.
--
-- Of daily log returns over the last 252 returns between sessions on which every one of them traded, as in the risk of a portfolio. No
-- return looks across a price jump.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- param:  symbols list of companies.symbol in 1..50 "Symbols with commas between them." e.g. BAXIPAPOWR,TOXIFATELE,DEXENIELEC
-- param:  limit   int = 5 in 1..50 "Pairs to return." e.g. 3
-- column: a text "Ticker of the first stock."
-- column: b text "Ticker of the second stock."
-- column: correlation number? ratio "Correlation of their daily log returns."
-- column: returns int count "Daily returns that were used."
-- also:   us
-- us-param: symbols list of companies.symbol in 1..50 "Tickers with commas between them." e.g. BAQEBO,MUXILU,HAZEDA
WITH bars AS (
    SELECT p.symbol,
           p.session,
           p.close * p.cumulative_split_factor AS close,
           COUNT(*) OVER (PARTITION BY p.session) AS traded
    FROM   daily_prices p
    JOIN   latest_bars l ON l.symbol = p.symbol AND l.price_segment = p.price_segment
    WHERE  array_has($symbols, p.symbol)
),
common AS (
    SELECT symbol,
           session,
           close,
           ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY session DESC) AS from_last
    FROM   bars
    WHERE  traded = (SELECT COUNT(*) FROM companies WHERE array_has($symbols, symbol))
),
daily AS (
    SELECT symbol,
           session,
           from_last,
           ln(close / LAG(close) OVER (PARTITION BY symbol ORDER BY session)) AS log_return
    FROM   common
    WHERE  from_last <= 253
)
SELECT x.symbol AS a,
       y.symbol AS b,
       corr(x.log_return, y.log_return) AS correlation,
       COUNT(x.log_return)              AS returns
FROM   daily x
JOIN   daily y ON y.session = x.session AND y.symbol > x.symbol
GROUP  BY x.symbol, y.symbol
ORDER  BY corr(x.log_return, y.log_return) DESC NULLS LAST, x.symbol, y.symbol
LIMIT  $limit
