-- Restated prices imply an action before the day, and the file that shows it is of a later day; or more of its prices are on file since.
--
-- kind:   restated
-- tables: corporate_actions, daily_prices, session_prices, indicators, price_jumps, held_scores, rs_history, rs_ratings, latest_bars, stocks, scans, screen, us_company_profiles, company_profiles
SELECT DISTINCT w.symbol
FROM   whole.corporate_actions AS w
       LEFT JOIN past.corporate_actions AS p ON p.symbol = w.symbol AND p.ex_date = w.ex_date
WHERE  w.origin = 'inferred'
  AND  w.ex_date <= (SELECT max(session) FROM past.sessions)
  AND  (p.symbol IS NULL OR p.factor <> w.factor)
