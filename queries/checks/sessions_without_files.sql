-- The files lack no session of the exchange between the first and the last.
--
-- Known from the closes before that the exchange's files of the next session say, else from its calendar. Fetch the files of the days named
-- (`parquote fetch MARKET --since DAY --until DAY`) and derive again. Until then the change of the next session is against the close before
-- that its own file says, or null.
--
-- severity: note
SELECT session AS before_session, missing_before, stocks_traded
FROM   sessions
WHERE  missing_before IS NOT NULL
ORDER  BY session DESC
