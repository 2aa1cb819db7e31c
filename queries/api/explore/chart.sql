-- Explorer: chart of a stock over up to five years, with its relative-strength line and its events, the oldest bar first.
--
-- An operation of the explorer. Prices and volumes are adjusted for splits and bonuses to the shares of today. Averages and the
-- relative-strength (RS) line are taken within one price segment, and count the stock's own bars. `rs_high_first` marks the bars on which
-- the RS line was at its highest of 252 bars while the price was not. A dividend is shown at its ex-date, results at the first session in
-- which they could be traded on. The lists of US actions have no dividends.
--
-- tool:   none
-- tier:   free
-- group:  Explorer
-- answer: list
-- optional: benchmark, corporate_events, earnings
-- free-symbols: yes
-- picture: candles title="Prices and relative strength" date=session open=open high=high low=low close=close volume=volume rs=rs_line:"RS line" rs_high=rs_high_first average=sma_50:"50-day mean",sma_200:"200-day mean" split=is_split dividend=dividend results=results
-- param:  symbol text                "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  range  text = 1y in (1m, 3m, 6m, 1y, 2y, 5y) "How far back from the market's last session." e.g. 6m
-- column: open   number price "Opening price, adjusted."
-- column: high   number price "Highest price, adjusted."
-- column: low    number price "Lowest price, adjusted."
-- column: close  number price "Closing price, adjusted."
-- column: volume number shares "Shares traded, adjusted."
-- column: rs_high_first bool? "Whether the RS line is at its 252-bar high while the high of the bar is below that of the 252 bars; null with fewer bars."
-- column: is_split bool "Whether a split or bonus took effect with this bar."
-- column: dividend text? "The dividend whose ex-date this is, in the source's words."
-- column: results text? "The quarter whose results could first be traded on in this session, such as Jun 2026."
-- also:   us
-- us-tier: api_pro
-- us-free-symbols: no
-- us-param: symbol text "Ticker of the company." e.g. BAQEBO
WITH bars AS (
    SELECT p.session,
           p.price_segment,
           p.open,
           p.high,
           p.low,
           p.close,
           p.volume,
           p.change_pct,
           p.cumulative_split_factor,
           p.cumulative_split_factor / (SELECT cumulative_split_factor_now FROM latest_bars WHERE symbol = $symbol) AS factor
    FROM   daily_prices p
    WHERE  p.symbol = $symbol
    -- 252 bars before the first that is shown, for the means and highs.
    AND    p.session >= as_of() - CASE $range WHEN '1m' THEN 430 WHEN '3m' THEN 490 WHEN '6m' THEN 580 WHEN '1y' THEN 765 WHEN '2y' THEN 1130 ELSE 2230 END
),
lines AS (
    SELECT b.session,
           b.price_segment,
           b.open * b.factor   AS open,
           b.high * b.factor   AS high,
           b.low * b.factor    AS low,
           b.close * b.factor  AS close,
           b.volume / b.factor AS volume,
           b.change_pct,
           COALESCE(b.cumulative_split_factor <> LAG(b.cumulative_split_factor) OVER (ORDER BY b.session), FALSE) AS is_split,
           m.benchmark,
           m.benchmark_close,
           b.close * b.factor / m.benchmark_close AS rs_line
    FROM   bars b
    LEFT   JOIN benchmark m ON m.session = b.session
),
figures AS (
    SELECT *,
           CASE WHEN COUNT(close) OVER bars_50 >= 50 THEN AVG(close) OVER bars_50 END    AS sma_50,
           CASE WHEN COUNT(close) OVER bars_200 >= 200 THEN AVG(close) OVER bars_200 END AS sma_200,
           CASE WHEN COUNT(rs_line) OVER bars_252 >= 252
               THEN rs_line >= MAX(rs_line) OVER bars_252 AND high < MAX(high) OVER bars_252
           END AS rs_high_first
    FROM   lines
    WINDOW bars_50 AS (PARTITION BY price_segment ORDER BY session ROWS BETWEEN 49 PRECEDING AND CURRENT ROW),
           bars_200 AS (PARTITION BY price_segment ORDER BY session ROWS BETWEEN 199 PRECEDING AND CURRENT ROW),
           bars_252 AS (PARTITION BY price_segment ORDER BY session ROWS BETWEEN 251 PRECEDING AND CURRENT ROW)
),
dividends AS (
    SELECT ex_date AS session, MIN(purpose) AS dividend
    FROM   corporate_events
    WHERE  symbol = $symbol
    AND    action_type = 'other'
    AND    upper(purpose) LIKE '%DIV%'
    GROUP  BY ex_date
),
announcements AS (
    SELECT day_0 AS session, MAX(quarter) AS results
    FROM   earnings
    WHERE  symbol = $symbol
    AND    day_0 IS NOT NULL
    AND    NOT filed_assumed
    GROUP  BY day_0
)
SELECT f.session,
       f.open,
       f.high,
       f.low,
       f.close,
       f.volume,
       f.change_pct,
       f.sma_50,
       f.sma_200,
       f.benchmark,
       f.benchmark_close,
       f.rs_line,
       f.rs_high_first,
       f.is_split,
       d.dividend,
       a.results
FROM   figures f
LEFT   JOIN dividends d ON d.session = f.session
LEFT   JOIN announcements a ON a.session = f.session
WHERE  f.session >= as_of() - CASE $range WHEN '1m' THEN 31 WHEN '3m' THEN 92 WHEN '6m' THEN 183 WHEN '1y' THEN 365 WHEN '2y' THEN 731 ELSE 1827 END
ORDER  BY f.session
