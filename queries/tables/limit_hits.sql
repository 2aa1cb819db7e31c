-- Limit hits: the bars that reached a limit of their price band, year by year; `circuits` is put together from them.
--
-- The limits are the close of the session before, against which `change_pct` is, plus and minus the band; the upper limit is rounded down to the
-- tick, the lower limit up. Where a band is smaller than a tick, so that a limit is the close before, there is none. `band_days` says which
-- list of bands holds on a session; a stock that the list lacks has no row.
--
-- market:  india
-- key:     session, symbol, direction
-- sorted:  symbol, session, direction
-- split:   year
-- per:     symbol
-- lookback: 0
-- formula: circuits 2
-- column: session        date
-- column: symbol         text
-- column: direction      text
-- column: close          number price
-- column: previous_close number price
-- column: band_pct       number? pct
-- column: limit_price    number price
-- column: locked         bool
-- column: change_pct     number? pct
-- column: volume         int shares
-- column: turnover       number money
-- column: market_cap     number? money
-- column: market_cap_assumed bool?
WITH bars AS (
    SELECT symbol,
           session,
           high,
           low,
           close,
           volume,
           turnover,
           change_pct,
           market_cap,
           market_cap_assumed,
           round(close / (1 + change_pct / 100), 6) AS previous_close
    FROM   daily_prices
),
banded AS (
    SELECT b.*,
           p.band_pct,
           CASE
               WHEN b.session < DATE '2024-06-01' THEN 0.05
               WHEN b.previous_close < 250 THEN 0.01
               WHEN b.session < DATE '2025-04-01' OR b.previous_close <= 1000 THEN 0.05
               WHEN b.previous_close <= 5000 THEN 0.1
               WHEN b.previous_close <= 10000 THEN 0.5
               WHEN b.previous_close <= 20000 THEN 1.0
               ELSE 5.0
           END AS tick
    FROM   band_days d
    JOIN   bars b ON b.session = d.session
    JOIN   price_bands p ON p.symbol = b.symbol AND p.band_date = d.band_date
    WHERE  p.band_pct IS NOT NULL AND b.previous_close IS NOT NULL
),
limits AS (
    -- A millionth of a tick is left for the arithmetic, so that a limit that falls on a tick stays there.
    SELECT *,
           floor(previous_close * (1 + band_pct / 100) / tick + 1e-6) * tick AS upper_limit,
           ceil(previous_close * (1 - band_pct / 100) / tick - 1e-6) * tick  AS lower_limit
    FROM   banded
),
hits AS (
    SELECT l.*,
           d.direction,
           CASE d.direction WHEN 'upper' THEN upper_limit ELSE lower_limit END AS limit_price,
           CASE d.direction WHEN 'upper' THEN high >= upper_limit - 1e-6 AND upper_limit > previous_close + 1e-6
               ELSE low <= lower_limit + 1e-6 AND lower_limit < previous_close - 1e-6 END AS is_hit,
           CASE d.direction WHEN 'upper' THEN close >= upper_limit - 1e-6 ELSE close <= lower_limit + 1e-6 END AS locked
    FROM   limits l
    CROSS  JOIN (VALUES ('upper'), ('lower')) AS d(direction)
)
SELECT session,
       symbol,
       direction,
       close,
       previous_close,
       band_pct,
       limit_price,
       locked,
       change_pct,
       volume,
       turnover,
       market_cap,
       market_cap_assumed
FROM   hits
WHERE  is_hit
ORDER  BY symbol, session, direction
