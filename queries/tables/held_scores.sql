-- Relative-strength scores that stocks keep on sessions on which they have no bar.
--
-- A stock is eligible when it has a bar in the five sessions that end with the session; its last score is held until then.
--
-- key:     symbol, session
-- sorted:  symbol, session
-- split:   year
-- per:     symbol
-- lookback: 253
-- formula: relative strength 1
-- column: symbol   text
-- column: session  date
-- column: rs_score number? pct
WITH bars AS (
    SELECT symbol,
           session,
           rs_score,
           next_day(session) OVER (PARTITION BY symbol ORDER BY session) AS next_session
    FROM   indicators
)
SELECT symbol,
       unnest(sessions_held(session, next_session, 4)) AS session,
       rs_score
FROM   bars
WHERE  next_session IS NULL OR CAST(next_session AS INT) > CAST(session AS INT) + 1
