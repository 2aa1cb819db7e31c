-- A split or bonus before the day: the newest day is told in its own shares, the history in shares of the first bar.
--
-- kind:    split
-- tables:  stocks, scans, screen, listings, rs_lines
SELECT symbol, cumulative_split_factor_now AS factor
FROM   past.latest_bars
WHERE  cumulative_split_factor_now <> 1
