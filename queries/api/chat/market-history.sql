-- Chat: breadth of the market by session, week or month, the newest first.
--
-- A row is the last session of each step. Shares of stocks above their averages are percent of the traded stocks that have one.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- param:  from   date? "First day; left out, three months before the last session." e.g. 2026-07-01
-- param:  to     date? "Last day; left out, the last session." e.g. 2026-10-30
-- param:  every  text = month in (session, week, month, quarter) "The step of the rows." e.g. month
-- constraint: `from` is not after `to`.
-- also:   us
WITH stepped AS (
    SELECT *,
           ROW_NUMBER() OVER (
               PARTITION BY CASE $every
                                WHEN 'session' THEN session
                                WHEN 'week'    THEN CAST(date_trunc('week', session) AS DATE)
                                WHEN 'month'   THEN CAST(date_trunc('month', session) AS DATE)
                                ELSE CAST(date_trunc('quarter', session) AS DATE)
                            END
               ORDER BY session DESC) AS turn
    FROM   breadth
    WHERE  session <= COALESCE($to, as_of())
)
SELECT session,
       advances,
       declines,
       unchanged,
       mcclellan,
       pct_above_sma10,
       pct_above_sma20,
       pct_above_sma40,
       pct_above_sma50, -- only us
       pct_above_sma200, -- only us
       new_highs, -- only us
       new_lows, -- only us
       benchmark,
       benchmark_close
FROM   stepped
WHERE  turn = 1
AND    session >= COALESCE($from, CAST(as_of() - INTERVAL '3 months' AS DATE))
ORDER  BY session DESC
