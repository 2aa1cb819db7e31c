-- Announced dividends: what a share of each company has paid in the last twelve months, by the corporate actions that the exchange announced.
--
-- A dividend counts by its ex-date, adjusted for splits and bonuses after it. It is known only where announcements reach back the whole
-- year, with no three weeks without a dividend of any company, and where the words of all of the company's dividends name their amount.
--
-- key:     symbol
-- sorted:  symbol
-- formula: announced dividends 2
-- column: symbol       text
-- column: dividend_12m number price "Dividends a share of the last twelve months, adjusted for later splits."
WITH dividends AS (
    SELECT symbol, ex_date, dividend AS amount
    FROM   corporate_events
    WHERE  ex_date BETWEEN as_of() - 364 AND as_of()
    AND    (dividend IS NOT NULL OR unread LIKE '%dividend%')
),
days AS (
    SELECT ex_date, ex_date - COALESCE(LAG(ex_date) OVER (ORDER BY ex_date), as_of() - 365) AS gap
    FROM   (SELECT DISTINCT ex_date FROM dividends)
),
covered AS (
    SELECT MAX(gap) <= 21 AND as_of() - MAX(ex_date) <= 21 AS is_whole FROM days
),
later_splits AS (
    SELECT d.symbol, d.ex_date, EXP(SUM(LN(a.factor))) AS factor
    FROM   (SELECT DISTINCT symbol, ex_date FROM dividends) d
    JOIN   corporate_actions a ON a.symbol = d.symbol AND a.ex_date > d.ex_date AND a.ex_date <= as_of() AND a.factor > 0
    GROUP  BY d.symbol, d.ex_date
)
SELECT d.symbol, SUM(d.amount * COALESCE(s.factor, 1)) AS dividend_12m
FROM   dividends d
CROSS  JOIN covered c
LEFT   JOIN later_splits s ON s.symbol = d.symbol AND s.ex_date = d.ex_date
WHERE  c.is_whole
GROUP  BY d.symbol
HAVING COUNT(*) = COUNT(d.amount)
ORDER  BY d.symbol
