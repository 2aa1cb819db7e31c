-- Breadth: how many stocks take part in the market's moves, session by session.
--
-- A close that equals an average is not above it; a difference in the last digit of the arithmetic does not count.
--
-- key:     session
-- sorted:  session
-- schedule: 30 12 * * 1-5 india
-- schedule: 0 18 * * 1-5 us
-- stale-after-hours: 78
-- formula: breadth 3
-- column: session         date
-- column: advances        int? count   "Stocks that closed above the session before; null where no change of the day is known."
-- column: declines        int? count   "Stocks that closed below the session before."
-- column: unchanged       int? count   "Stocks that closed where the session before did."
-- column: ad_line         int? count   "Advances less declines, summed up from the first session on."
-- column: mcclellan       number? points "McClellan oscillator: ema_19 less ema_39 of 1,000 times advances less declines over their sum."
-- column: pct_above_sma10 number? pct  "Stocks above their 10-bar mean, in percent of the traded stocks that have one."
-- column: pct_above_sma20 number? pct  "Stocks above their 20-bar mean, in percent of the traded stocks that have one."
-- column: pct_above_sma40 number? pct  "Stocks above their 40-bar mean, in percent of the traded stocks that have one."
-- column: pct_above_sma50 number? pct us  "Stocks above their 50-bar mean, in percent of the traded stocks that have one."
-- column: pct_above_sma200 number? pct us "Stocks above their 200-bar mean, in percent of the traded stocks that have one."
-- column: new_highs       int count us "Stocks whose high was their 52-week high."
-- column: new_lows        int count us "Stocks whose low was their 52-week low."
-- column: benchmark       text?
-- column: benchmark_close number? price
WITH nets AS (
    SELECT *, 1000.0 * (advances - declines) / NULLIF(advances + declines, 0) AS net
    FROM   session_breadth
),
lines AS (
    SELECT *,
           SUM(advances - declines) OVER (ORDER BY session)                     AS ad_line,
           -- Over the sessions whose moves are known: an unknown one is passed over, and the averages go on.
           ema(net, 19) OVER known - ema(net, 39) OVER known AS mcclellan
    FROM   nets
    WINDOW known AS (PARTITION BY net IS NULL ORDER BY session)
)
SELECT l.session,
       l.advances,
       l.declines,
       l.unchanged,
       l.ad_line,
       l.mcclellan,
       l.pct_above_sma10,
       l.pct_above_sma20,
       l.pct_above_sma40,
       l.pct_above_sma50,
       l.pct_above_sma200,
       l.new_highs,
       l.new_lows,
       b.benchmark,
       b.benchmark_close
FROM   lines l
LEFT   JOIN benchmark b ON b.session = l.session
ORDER  BY l.session
