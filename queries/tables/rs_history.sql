-- Relative-strength ratings and ranks of every eligible stock, session by session.
--
-- The rating is the place of the score among the scores of the universe's members, 99 being the strongest. Stocks outside of the universe
-- are rated, too.
--
-- key:     session, symbol
-- sorted:  session, symbol
-- split:   year
-- per:     session
-- formula: relative strength 3
-- column: session   date
-- column: symbol    text
-- column: rs_score  number? pct
-- column: rs_rating int? rating "Relative-strength rating against the universe, 1 to 99."
-- column: rs_rank   int? rank   "Place by relative strength among all rated stocks, members of the universe or not: one more than the number of stocks with a better score."
WITH scores AS (
    SELECT session, symbol, rs_score FROM indicators
    UNION  ALL
    SELECT session, symbol, rs_score FROM held_scores
)
SELECT r.session,
       r.symbol,
       r.rs_score,
       rs_rating(r.rs_score, u.universe_as_of IS NULL OR m.symbol IS NOT NULL) OVER (PARTITION BY r.session ORDER BY r.symbol) AS rs_rating,
       rs_rank(r.rs_score, u.universe_as_of IS NULL OR m.symbol IS NOT NULL)   OVER (PARTITION BY r.session ORDER BY r.symbol) AS rs_rank
FROM   scores r
JOIN   universe u ON u.session = r.session
LEFT   JOIN universe_members m
       ON m.universe = u.universe AND m.list_date = u.universe_as_of AND m.symbol = r.symbol
ORDER  BY r.session, r.symbol
