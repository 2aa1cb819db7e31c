-- RS lines: every stock's close over that of the benchmark, at its last bar and at its best.
--
-- The high of the line is that of the last 252 bars; it is null with fewer bars, or if the benchmark lacks one of them.
--
-- key:     symbol
-- sorted:  symbol
-- formula: rs line 1
-- column: symbol           text
-- column: session          date
-- column: rs_line          number? factor "Adjusted close over the close of the benchmark."
-- column: rs_line_high     number? factor "Highest RS line of the last 252 bars."
-- column: rs_line_new_high bool?          "Whether the RS line is at its 252-bar high."
WITH lines AS (
    SELECT l.symbol,
           l.session AS last_bar,
           p.session,
           p.close * (p.cumulative_split_factor / l.cumulative_split_factor_now) / b.benchmark_close AS rs_line
    FROM   daily_prices p
    JOIN   latest_bars l ON l.symbol = p.symbol
    LEFT   JOIN benchmark b ON b.session = p.session
    WHERE  p.session >= COALESCE(l.year_start, l.session)
),
highs AS (
    SELECT symbol,
           last_bar                                      AS session,
           MAX(rs_line) FILTER (WHERE session = last_bar) AS rs_line,
           CASE WHEN COUNT(rs_line) >= 252 THEN MAX(rs_line) END AS rs_line_high
    FROM   lines
    GROUP  BY symbol, last_bar
)
SELECT symbol,
       session,
       rs_line,
       rs_line_high,
       rs_line >= rs_line_high AS rs_line_new_high
FROM   highs
ORDER  BY symbol
