-- Benchmark: the large-cap series with which the market is compared.
--
-- The benchmark is the index itself if its closes cover all sessions, else the index ETF of the price files, else a chain, from 1,000, of
-- the daily changes of the members of NIFTY50 or SP500. The chain weighs a member by its market cap of the bar before (a company with
-- several classes of shares counts once), or all members equally on a session on which no member has one. A session uses the newest list
-- that is not after it, else the first.
--
-- key:     session
-- sorted:  session
-- formula: benchmark 3
-- column: session         date
-- column: benchmark       text         "The series that represents the large-cap market."
-- column: benchmark_close number price "Close of the benchmark."
-- column: benchmark_assumed bool "Whether the session's change uses members of a later list or an assumed market cap."
WITH whole AS (
    SELECT index_name
    FROM   index_prices
    WHERE  index_name IN ('NIFTY50', 'SP500')
    GROUP  BY index_name
    HAVING COUNT(DISTINCT session) >= (SELECT COUNT(*) FROM sessions)
),
given AS (
    SELECT p.session, p.index_name AS benchmark, p.close * p.factor AS benchmark_close
    FROM   index_prices p
    WHERE  p.index_name IN (SELECT index_name FROM whole)
    OR     p.index_name IN ('NIFTYBEES', 'SPY') AND NOT EXISTS (SELECT 1 FROM whole)
),
lists AS (
    SELECT DISTINCT index_name, list_date
    FROM   index_members
    WHERE  index_name IN ('NIFTY50', 'SP500')
),
held AS (
    SELECT s.session,
           l.index_name,
           COALESCE(MAX(l.list_date) FILTER (WHERE l.list_date <= s.session), MIN(l.list_date)) AS list_date
    FROM   sessions s
    JOIN   lists l ON TRUE
    WHERE  NOT EXISTS (SELECT 1 FROM given)
    GROUP  BY s.session, l.index_name
),
members AS (
    SELECT h.session, h.index_name, h.list_date, m.symbol
    FROM   held h
    JOIN   index_members m ON m.index_name = h.index_name AND m.list_date = h.list_date
),
-- Whether each member's cap counts: flagged before the figures are joined, so that these are added up in the order of symbols.
weighed AS (
    SELECT m.session, m.index_name, m.list_date, m.symbol, o.symbol IS NULL AS counts
    FROM   members m
    JOIN   companies c ON c.symbol = m.symbol
    LEFT   JOIN members o ON o.session = m.session AND o.index_name = m.index_name AND o.symbol = c.cap_counted_in
),
growths AS (
    SELECT i.session,
           w.index_name,
           COALESCE(
               SUM(i.market_cap_before * COALESCE(i.bar_change_pct, i.change_pct)) FILTER (WHERE w.counts)
                   / NULLIF(SUM(i.market_cap_before) FILTER (WHERE w.counts), 0),
               AVG(COALESCE(i.bar_change_pct, i.change_pct))
           ) / 100 AS growth,
           COALESCE(bool_or(i.cap_before_assumed AND w.counts), FALSE) OR MIN(w.list_date) > i.session AS benchmark_assumed
    FROM   indicators i
    JOIN   weighed w ON w.session = i.session AND w.symbol = i.symbol
    WHERE  COALESCE(i.bar_change_pct, i.change_pct) IS NOT NULL
    GROUP  BY i.session, w.index_name
),
made AS (
    SELECT session,
           index_name || ' members' AS benchmark,
           1000 * EXP(SUM(LN(1 + growth)) OVER (PARTITION BY index_name ORDER BY session)) AS benchmark_close,
           benchmark_assumed
    FROM   growths
    WHERE  growth > -1
)
SELECT session, benchmark, benchmark_close, FALSE AS benchmark_assumed FROM given
UNION  ALL
SELECT session, benchmark, benchmark_close, benchmark_assumed FROM made
ORDER  BY session
