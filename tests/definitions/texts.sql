-- What summaries and calls say of a quarter, beside the figures that were filed first for it and for the year before.
--
-- The balance sheet at the end of a fiscal year may stand among the figures of the year alone.
WITH filed AS (
    SELECT symbol, period_end, basis, line, FIRST_VALUE(value ORDER BY filed_at) AS value
    FROM   statement_lines
    WHERE  (period_type = 'quarterly' OR line IN ('total_debt', 'equity'))
    AND    line IN ('revenue', 'pat', 'ebitda', 'total_debt', 'equity')
    GROUP  BY symbol, period_end, basis, line
),
quarters AS (
    SELECT symbol,
           period_end,
           basis,
           MAX(CASE line WHEN 'revenue'    THEN value END) AS revenue,
           MAX(CASE line WHEN 'pat'        THEN value END) AS pat,
           MAX(CASE line WHEN 'ebitda'     THEN value END) AS ebitda,
           MAX(CASE line WHEN 'total_debt' THEN value END) AS debt,
           MAX(CASE line WHEN 'equity'     THEN value END) AS equity
    FROM   filed
    GROUP  BY symbol, period_end, basis
),
groups AS (
    SELECT symbol, MIN(basis) AS basis FROM quarters GROUP BY symbol
),
series AS (
    SELECT q.* FROM quarters q JOIN groups g ON g.symbol = q.symbol AND g.basis = q.basis
),
said AS (
    SELECT symbol, period_end, headline_verdict || ' ' || array_to_string(key_positives, ' ') || ' ' || array_to_string(key_risks, ' ') AS words
    FROM   ai_summaries
    UNION  ALL
    SELECT symbol, period_end, array_to_string(top_messages, ' ')
    FROM   call_decoders
)
SELECT s.symbol,
       s.period_end,
       s.words,
       n.revenue,
       n.pat,
       n.ebitda,
       n.debt,
       n.equity,
       b.revenue AS revenue_before,
       b.pat     AS pat_before,
       b.ebitda  AS ebitda_before
FROM   said s
JOIN   series n ON n.symbol = s.symbol AND n.period_end = s.period_end
LEFT   JOIN series b ON b.symbol = s.symbol AND n.period_end - b.period_end BETWEEN 360 AND 370
ORDER  BY s.symbol, s.period_end
