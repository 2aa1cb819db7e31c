-- Stocks that reached a limit of their price band in a session, and whether the bands of that session are known.
--
-- A date without a session means the last session before it. A stock that reached both limits has a row for each. If no list of price bands
-- for the session is known, `bands_known` is false and `hits` is empty, even if stocks reached a limit; `bands_missing` says which list is
-- needed. Upper limits come first; for each limit, stocks that closed at it come first, then the largest turnover.
--
-- tool:   get_circuit_stocks
-- tier:   free
-- group:  Feeds
-- answer: one
-- param:  direction text = all in (upper, lower, all) "Which limit was hit." e.g. lower
-- param:  date      date? "Session to look at; if omitted, the last one."
-- column: bands_known         bool  "Whether a list of price bands holds for the session."
-- column: bands_missing       text? "Why the bands of the session are not known; null if they are."
-- column: hit_count           int count "Rows under `hits`."
-- column: hits                rows  "Stocks that reached a limit, a row for each limit."
-- column: traded_close  number price  "Closing price as it was traded."
-- column: traded_volume int shares "Shares traded, not adjusted for later splits."
WITH day AS (
    SELECT session_on(COALESCE($date, as_of())) AS session
),
hits AS (
    SELECT h.session,
           h.symbol,
           c.company_name,
           c.sector,
           h.direction,
           h.locked,
           h.close  AS traded_close,
           h.change_pct,
           h.limit_price,
           h.previous_close,
           h.band_pct,
           h.volume AS traded_volume,
           h.turnover / 1e7   AS turnover_cr,
           h.market_cap / 1e7 AS market_cap_cr,
           h.market_cap_assumed
    FROM   circuits h
    JOIN   companies c ON c.symbol = h.symbol
    WHERE  h.session = session_on(COALESCE($date, as_of()))
    AND    ($direction = 'all' OR h.direction = $direction)
)
SELECT d.session,
       MAX(b.band_date) IS NOT NULL AS bands_known,
       MAX(b.band_date)             AS band_date,
       CASE
           WHEN MAX(b.band_date) IS NULL
           THEN 'No list of price bands that holds for this session is in the data'
                || COALESCE('; the newest one before it holds from ' || CAST(MAX(l.newest) AS TEXT), '')
                || '. NSE publishes one for the next session every day, as sec_list_DDMMYYYY.csv.'
       END AS bands_missing,
       COUNT(h.symbol)              AS hit_count,
       -- Of a session without a hit the join leaves one row, which the slice cuts off.
       array_slice(array_agg(named_struct(
           'symbol',         h.symbol,
           'company_name',   h.company_name,
           'sector',         h.sector,
           'session',        d.session,
           'direction',      h.direction,
           'locked',         h.locked,
           'traded_close',   h.traded_close,
           'change_pct',     h.change_pct,
           'limit_price',    h.limit_price,
           'previous_close', h.previous_close,
           'band_pct',       h.band_pct,
           'traded_volume',  h.traded_volume,
           'turnover_cr',    h.turnover_cr,
           'market_cap_cr',  h.market_cap_cr,
           'market_cap_assumed', h.market_cap_assumed
       ) ORDER BY h.direction DESC, h.locked DESC, h.turnover_cr DESC, h.symbol), 1, COUNT(h.symbol)) AS hits
FROM   day d
CROSS  JOIN (SELECT MAX(band_date) AS newest FROM band_days WHERE session <= session_on(COALESCE($date, as_of()))) l
LEFT   JOIN band_days b ON b.session = d.session
LEFT   JOIN hits h ON h.session = d.session
GROUP  BY d.session
