-- Restated prices imply an action before the day, and the file that shows it, or more of its prices, is of a later day.
--
-- Or a list of actions has the action on a later day than its prices, or prices after the day have its move.
--
-- kind:   restated
-- tables: corporate_actions, daily_prices, session_prices, indicators, price_jumps, held_scores, rs_history, rs_ratings, latest_bars, stocks, scans, screen, us_company_profiles, company_profiles
SELECT DISTINCT w.symbol
FROM   whole.corporate_actions AS w
       LEFT JOIN past.corporate_actions AS p ON p.symbol = w.symbol AND p.ex_date = w.ex_date
WHERE  w.origin IN ('inferred', 'moved')
  AND  w.ex_date <= (SELECT max(session) FROM past.sessions) + CASE w.origin WHEN 'moved' THEN 45 ELSE 0 END
  AND  (p.symbol IS NULL OR p.factor <> w.factor)
