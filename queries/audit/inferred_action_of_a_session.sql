-- Restated prices imply an action of a stock up to the session, and the file that shows it is of a day after the one derived.
--
-- Or the list has the action at most 45 days before or after the session of its prices.
--
-- kind:    restated
-- tables:  breadth, session_breadth, sector_growths, sector_indices, industry_growths, industry_indices, rs_history, rs_ratings, stocks, screen, scorecards, company_profiles, us_company_profiles
-- columns: rs_rank, rs_rating, rs_trend_30d, advances, declines, unchanged, ad_line, mcclellan, new_highs, new_lows, pct_above_sma10, pct_above_sma20, pct_above_sma40, pct_above_sma50, pct_above_sma200, stocks_counted
SELECT s.session
FROM   past.sessions AS s
WHERE  s.session >= (
         SELECT min(CASE WHEN w.ex_date <= (SELECT max(session) FROM past.sessions) THEN w.ex_date ELSE w.ex_date - 45 END)
         FROM   whole.corporate_actions AS w
                LEFT JOIN past.corporate_actions AS p ON p.symbol = w.symbol AND p.ex_date = w.ex_date
         WHERE  w.origin IN ('inferred', 'moved')
           AND  w.ex_date <= (SELECT max(session) FROM past.sessions) + CASE w.origin WHEN 'moved' THEN 45 ELSE 0 END
           AND  (p.symbol IS NULL OR p.factor <> w.factor)
       )
