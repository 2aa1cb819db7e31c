-- Market breadth of the last sessions, the newest first.
--
-- Each common stock is compared with the session before; the averages are those of 10, 20 and 40 bars.
--
-- tool:   get_market_breadth
-- tier:   free
-- group:  Core
-- answer: list
-- page:   breadth
-- coverage: breadth
-- explore-page: breadth range
-- picture: breadth title="Market breadth" date=session above=pct_above_sma10:"10 bars",pct_above_sma20:"20 bars",pct_above_sma40:"40 bars" advances=advances declines=declines mcclellan=mcclellan
-- own-param:  days int? in 1..30 "Sessions to return; if omitted, the last 30." e.g. 5
-- explore-param:  range  text = 1y in (1m, 3m, 6m, 1y, 2y, 5y) "How far back from the market's last session." e.g. 6m
-- also: explore/breadth, us/explore/breadth
-- explore-title: Explorer: market breadth over up to five years, the oldest session first
-- explore-prose: An operation of the explorer. Each common stock is compared with the session before; the averages are those of 10, 20 and
-- explore-prose: 40 bars.
-- explore-tool:   none
-- explore-group:  Explorer
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
WHERE  session >= CASE WHEN $range IS NULL THEN session_ago(COALESCE($days, 30) - 1)
                      ELSE as_of() - CASE $range WHEN '1m' THEN 31 WHEN '3m' THEN 92 WHEN '6m' THEN 183 WHEN '1y' THEN 365 WHEN '2y' THEN 731 ELSE 1827 END
                  END
ORDER  BY CASE WHEN $range IS NULL THEN session END DESC, session
