-- Market breadth of the last sessions, the newest first.
--
-- Each common stock is compared with its own bar before; the averages are those of 10, 20 and 40 bars.
--
-- tool:   get_market_breadth
-- tier:   free
-- group:  Core
-- answer: list
-- picture: breadth title="Market breadth" date=session above=pct_above_sma10:"above 10-bar mean",pct_above_sma20:"above 20-bar mean",pct_above_sma40:"above 40-bar mean" advances=advances declines=declines mcclellan=mcclellan
-- param:  days int? in 1..30 "Sessions to return; left out, the last 30." e.g. 5
SELECT session,
       advances,
       declines,
       unchanged,
       ad_line,
       mcclellan,
       pct_above_sma10,
       pct_above_sma20,
       pct_above_sma40,
       benchmark,
       benchmark_close
FROM   breadth
WHERE  session >= session_ago(COALESCE($days, 30) - 1)
ORDER  BY session DESC
