-- The session is before the first list of members, which rates it all the same: `universe_as_of` is after the session.
--
-- kind:    assumed
-- tables:  universe, rs_history, rs_ratings, stocks, screen, scorecards, company_profiles, us_company_profiles
-- columns: universe, universe_as_of, rs_rating, rs_trend_30d
SELECT session
FROM   whole.universe
WHERE  universe_as_of > session
