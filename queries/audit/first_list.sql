-- The list against which the session is rated says more than was known on it: a later list, or one rebuilt from shares of later lists.
--
-- kind:    assumed
-- tables:  universe, rs_history, rs_ratings, stocks, screen, scorecards, company_profiles, us_company_profiles
-- columns: universe, universe_as_of, universe_assumed, rs_rating, rs_trend_30d
SELECT session
FROM   whole.universe
WHERE  universe_assumed
