-- Restated prices imply an action of a stock up to the session, and the file that shows it is of a day after the one derived.
--
-- kind:    restated
-- tables:  breadth, session_breadth, sector_growths, sector_indices, industry_growths, industry_indices
-- columns: advances, declines, unchanged, ad_line, mcclellan, new_highs, new_lows, pct_above_sma10, pct_above_sma20, pct_above_sma40, pct_above_sma50, pct_above_sma200, stocks_counted
SELECT s.session
FROM   past.sessions AS s
WHERE  s.session >= (
         SELECT min(w.ex_date)
         FROM   whole.corporate_actions AS w
                LEFT JOIN past.corporate_actions AS p ON p.symbol = w.symbol AND p.ex_date = w.ex_date
         WHERE  w.origin = 'inferred'
           AND  w.ex_date <= (SELECT max(session) FROM past.sessions)
           AND  (p.symbol IS NULL OR p.factor <> w.factor)
       )
