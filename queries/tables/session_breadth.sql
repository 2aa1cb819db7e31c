-- Session breadth: the breadth of each session by itself; `breadth` sums it up over sessions.
--
-- After a session that the files lack, whose closes nothing says, advances, declines and unchanged are null.
-- A close that equals an average is not above it; a difference in the last digit of the arithmetic does not count.
--
-- key:     session
-- sorted:  session
-- split:   year
-- per:     session
-- formula: breadth 3
-- column: session         date
-- column: advances        int? count
-- column: declines        int? count
-- column: unchanged       int? count
-- column: pct_above_sma10 number? pct
-- column: pct_above_sma20 number? pct
-- column: pct_above_sma40 number? pct
-- column: pct_above_sma50 number? pct
-- column: pct_above_sma200 number? pct
-- column: new_highs       int count
-- column: new_lows        int count
SELECT session,
       CASE WHEN COUNT(change_pct) > 0 OR COUNT(bar_change_pct) = 0 THEN COUNT(*) FILTER (WHERE change_pct > 0) END AS advances,
       CASE WHEN COUNT(change_pct) > 0 OR COUNT(bar_change_pct) = 0 THEN COUNT(*) FILTER (WHERE change_pct < 0) END AS declines,
       CASE WHEN COUNT(change_pct) > 0 OR COUNT(bar_change_pct) = 0 THEN COUNT(*) FILTER (WHERE change_pct = 0) END AS unchanged,
       COUNT(*) FILTER (WHERE is_new_high)    AS new_highs,
       COUNT(*) FILTER (WHERE is_new_low)     AS new_lows,
       100.0 * COUNT(*) FILTER (WHERE adj_close - sma_10  > 1e-12 * sma_10)  / NULLIF(COUNT(sma_10), 0)  AS pct_above_sma10,
       100.0 * COUNT(*) FILTER (WHERE adj_close - sma_20  > 1e-12 * sma_20)  / NULLIF(COUNT(sma_20), 0)  AS pct_above_sma20,
       100.0 * COUNT(*) FILTER (WHERE adj_close - sma_40  > 1e-12 * sma_40)  / NULLIF(COUNT(sma_40), 0)  AS pct_above_sma40,
       100.0 * COUNT(*) FILTER (WHERE adj_close - sma_50  > 1e-12 * sma_50)  / NULLIF(COUNT(sma_50), 0)  AS pct_above_sma50,
       100.0 * COUNT(*) FILTER (WHERE adj_close - sma_200 > 1e-12 * sma_200) / NULLIF(COUNT(sma_200), 0) AS pct_above_sma200
FROM   indicators
GROUP  BY session
ORDER  BY session
