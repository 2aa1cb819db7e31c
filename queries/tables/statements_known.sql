-- Statements known: the newest day up to the market's date on which statements became known or changed.
--
-- On such a day a line began to count, or a corporate action was due. Until the next such day, a table that reads this day instead of the
-- market's date stays as it is.
--
-- key:    known_on
-- sorted: known_on
-- column: known_on date "Newest day up to the market's date on which a line of a statement became known or a corporate action was due."
WITH days AS (
    SELECT known_from AS day
    FROM   statement_lines
    UNION  ALL
    SELECT ex_date AS day
    FROM   corporate_actions
)
SELECT MAX(day) AS known_on
FROM   days
WHERE  day <= as_of()
HAVING MAX(day) IS NOT NULL
