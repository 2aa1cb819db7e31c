-- Stances: the stance of every US company by the rule of full reports, from its score, its strength and its stage.
--
-- COMPELLING with an overall score of 7 or more, a rating of 70 or more and stage 2; AVOID with an overall score below 4, or stage 4 and a
-- rating below 30; otherwise WATCHLIST, also if a figure that could decide is not known. The stance is a label by rule, and no advice.
--
-- market:   us
-- key:      symbol
-- sorted:   symbol
-- optional: scorecards
-- formula:  stances 1
-- column: symbol         text
-- column: stance         text in (COMPELLING, WATCHLIST, AVOID) "COMPELLING, WATCHLIST or AVOID, by a rule on the overall score, the RS rating and the stage."
-- column: stance_missing text? "Unknown figures of the rule if the stance is WATCHLIST; null if all are known."
-- column: overall_score  number? score_10
-- column: rs_rating      int? rating
-- column: stage          int?
WITH figures AS (
    SELECT c.symbol, k.overall_score, s.rs_rating, s.stage
    FROM   companies c
    LEFT   JOIN stocks s     ON s.symbol = c.symbol
    LEFT   JOIN scorecards k ON k.symbol = c.symbol
),
decided AS (
    SELECT *,
           CASE
               WHEN overall_score >= 7 AND rs_rating >= 70 AND stage = 2 THEN 'COMPELLING'
               WHEN overall_score < 4                                    THEN 'AVOID'
               WHEN stage = 4 AND rs_rating < 30                         THEN 'AVOID'
               ELSE 'WATCHLIST'
           END AS stance
    FROM   figures
)
SELECT symbol,
       stance,
       CASE WHEN stance = 'WATCHLIST' THEN
           NULLIF(array_to_string(make_array(
               CASE WHEN overall_score IS NULL THEN 'overall_score' END,
               CASE WHEN rs_rating IS NULL THEN 'rs_rating' END,
               CASE WHEN stage IS NULL THEN 'stage' END), ', '), '')
       END AS stance_missing,
       overall_score,
       rs_rating,
       stage
FROM   decided
ORDER  BY symbol
