-- Daily prices of a company, the newest first.
--
-- Open, high, low, close and volume are adjusted for splits and bonuses; `traded_close` is the close as it was traded.
--
-- tool:   get_daily_prices
-- tier:   api_pro
-- group:  Company Intel
-- answer: list
-- page:   company/{symbol}
-- picture: candles title="Daily prices" date=session open=open high=high low=low close=close volume=volume
-- param:  symbol text                 "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  from   date?                "First date."
-- param:  to     date?                "Last date; if omitted, the market's last session."
-- param:  limit  int = 60 in 1..365   "Rows to return, the newest first." e.g. 5
-- constraint: `from` is not after `to`.
-- column: open   number price "Opening price, adjusted."
-- column: high   number price "Highest price, adjusted."
-- column: low    number price "Lowest price, adjusted."
-- column: close  number price "Closing price, adjusted."
-- column: volume number shares "Shares traded, adjusted."
-- column: traded_close number price "Closing price as it was traded."
WITH bars AS (
    SELECT *,
           cumulative_split_factor / (SELECT cumulative_split_factor_now FROM latest_bars WHERE symbol = $symbol) AS factor
    FROM   daily_prices
    WHERE  symbol = $symbol
    AND    ($from IS NULL OR session >= $from)
    AND    ($to IS NULL OR session <= $to)
)
SELECT session,
       open * factor    AS open,
       high * factor    AS high,
       low * factor     AS low,
       close * factor   AS close,
       volume / factor  AS volume,
       delivery_pct,
       change_pct,
       turnover / 1e7   AS turnover_cr,
       close            AS traded_close,
       factor
FROM   bars
ORDER  BY session DESC
LIMIT  $limit
