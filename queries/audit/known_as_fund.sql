-- Files after the day tell that symbols are funds and no common stock: whoever looked at the day counted them.
--
-- An instrument is judged by what is known of it on any date, so that the whole has fewer stocks in a session than the past.
--
-- kind:   assumed
-- tables: sessions, session_breadth, breadth, rs_history, rs_ratings, stocks, screen, company_profiles, us_company_profiles, scorecards
-- columns: stocks_traded, advances, declines, unchanged, ad_line, mcclellan, pct_above_sma10, pct_above_sma20, pct_above_sma40, pct_above_sma50, pct_above_sma200, new_highs, new_lows, rs_rank, rs_rating
SELECT p.session
FROM   past.sessions AS p
       JOIN whole.sessions AS w ON w.session = p.session
WHERE  p.stocks_traded > w.stocks_traded
