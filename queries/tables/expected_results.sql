-- Expected results: the day on which each company's next quarterly results are expected.
--
-- No source announces these days. A company is expected 364 days after it announced the same quarter of the year before, on the same day of
-- the week. There is no row where that quarter has no filing day on file, or was announced more than 120 days after its end. A day in the
-- past means that the results are late.
--
-- view:    yes
-- key:     symbol
-- sorted:  symbol
-- optional: earnings
-- column: symbol           text
-- column: results_due      date "Day on which the next results are expected: 364 days after the announcement of the same quarter of the year before."
-- column: due_quarter_end date "Last day of the quarter whose results are expected."
SELECT n.symbol,
       y.announced_on + 364 AS results_due,
       CAST(y.period_end + INTERVAL '12 months' AS DATE) AS due_quarter_end
FROM   earnings n
JOIN   earnings y ON y.symbol = n.symbol AND y.quarter_index = n.quarter_index - 3
WHERE  n.is_latest
AND    y.is_timely
AND    NOT y.filed_assumed
AND    y.announced_on + 364 > n.announced_on
ORDER  BY n.symbol
