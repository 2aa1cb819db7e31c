-- Explorer: the last bars of several stocks with their relative-strength lines, for small pictures, each stock's by session.
--
-- An operation of the explorer. Prices and volumes are adjusted for splits and bonuses to the shares of today. A stock has the bars of its
-- present price segment among the market's last sessions, so that no line leads across a gap or an unexplained jump.
--
-- tool:   none
-- tier:   premium_web
-- group:  Explorer
-- answer: stocks
-- optional: benchmark
-- param:  symbols list of companies.symbol in 1..50 "Symbols with commas between them, at most 50." e.g. BAXIPAPOWR,TOXIFATELE
-- param:  bars    int = 60 in 20..260               "The market's last sessions from which bars are returned." e.g. 30
-- column: open    number price  "Opening price, adjusted."
-- column: high    number price  "Highest price, adjusted."
-- column: low     number price  "Lowest price, adjusted."
-- column: close   number price  "Closing price, adjusted."
-- column: volume  number shares "Shares traded, adjusted."
-- also:   us
-- us-param: symbols list of companies.symbol in 1..50 "Tickers with commas between them, at most 50." e.g. BAQEBO
WITH listed_stocks AS (
    SELECT symbol, price_segment, cumulative_split_factor_now, array_position($symbols, symbol) AS place
    FROM   latest_bars
    WHERE  array_has($symbols, symbol)
),
bars AS (
    SELECT l.place,
           p.symbol,
           p.session,
           p.open,
           p.high,
           p.low,
           p.close,
           p.volume,
           p.cumulative_split_factor / l.cumulative_split_factor_now AS factor
    FROM   daily_prices p
    JOIN   listed_stocks l ON l.symbol = p.symbol AND l.price_segment = p.price_segment
    WHERE  array_has($symbols, p.symbol)
    AND    p.session >= session_ago($bars - 1)
)
SELECT b.symbol,
       b.session,
       b.open * b.factor                      AS open,
       b.high * b.factor                      AS high,
       b.low * b.factor                       AS low,
       b.close * b.factor                     AS close,
       b.volume / b.factor                    AS volume,
       b.close * b.factor / m.benchmark_close AS rs_line
FROM   bars b
LEFT   JOIN benchmark m ON m.session = b.session
ORDER  BY b.place, b.session
