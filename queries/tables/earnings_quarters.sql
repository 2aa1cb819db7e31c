-- Earnings quarters: the quarters with announcements, and how many companies were scored.
--
-- key:     quarter
-- sorted:  quarter
-- of-day: companies, scored, last_announced
-- column: quarter         text
-- column: quarter_index   int
-- column: companies       int count "Companies that announced the quarter."
-- column: scored          int count "Companies with a score for the quarter."
-- column: first_announced date      "Day of the first announcement."
-- column: last_announced  date      "Day of the last announcement."
SELECT quarter,
       quarter_index,
       COUNT(*)          AS companies,
       COUNT(ecs_score)  AS scored,
       MIN(announced_on) AS first_announced,
       MAX(announced_on) AS last_announced
FROM   earnings
GROUP  BY quarter, quarter_index
ORDER  BY quarter
