-- A split or bonus before the day: the newest day is told in its own shares, the history in shares of the first bar.
--
-- kind:    split
-- tables:  stocks, scans, screen, latest_bars, company_profiles, us_company_profiles
-- columns: adj_close, sma_50, sma_150, sma_200, ema_10, ema_21, ema_50, wk52_high, wk52_low
SELECT symbol, cumulative_split_factor_now AS factor
FROM   past.latest_bars
WHERE  cumulative_split_factor_now <> 1
