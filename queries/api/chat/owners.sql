-- Chat: who holds Indian companies by group, and how that changed against the report before, the largest change first.
--
-- Shares of promoters, foreign and domestic institutions in percent, from the newest report that was filed by the last session, with the
-- pledged share of the promoters' shares. Investors are not named in these reports.
--
-- tool:   none
-- tier:   api_pro
-- group:  Chat
-- answer: list
-- optional: pledges
-- param:  symbols list? of companies.symbol in 0..50 "Only these symbols, with commas between." e.g. BAXIPAPOWR
-- param:  by      text = fii_change in (promoter_change, fii_change, dii_change, pledge_change) "The change by whose size the rows are sorted." e.g. pledge_change
-- param:  limit   int = 25 in 1..200 "Rows to return." e.g. 10
-- column: promoter_change number? points "Promoters' share less that of the quarter before."
-- column: fii_change      number? points "Foreign institutions' share less that of the quarter before."
-- column: dii_change      number? points "Domestic institutions' share less that of the quarter before."
-- column: pledge_change   number? points "Pledged part of the promoters' shares less that of the quarter before."
WITH reports AS (
    -- One order of all rows, in which the table lies, in the place of a partition a company: rows beside each other are then compared at once.
    SELECT symbol, period_end, promoter_pct, fii_pct, dii_pct,
           CASE WHEN LAG(symbol) OVER by_day = symbol THEN promoter_pct - LAG(promoter_pct) OVER by_day END AS promoter_change,
           CASE WHEN LAG(symbol) OVER by_day = symbol THEN fii_pct - LAG(fii_pct) OVER by_day END           AS fii_change,
           CASE WHEN LAG(symbol) OVER by_day = symbol THEN dii_pct - LAG(dii_pct) OVER by_day END           AS dii_change,
           COALESCE(LEAD(symbol) OVER by_day <> symbol, TRUE) AS is_newest
    FROM   shareholding
    WHERE  COALESCE(filed_on, period_end) <= as_of()
    AND    ($symbols IS NULL OR array_has($symbols, symbol))
    WINDOW by_day AS (ORDER BY symbol, period_end)
),
pledged AS (
    SELECT symbol, pledge_pct,
           CASE WHEN LAG(symbol) OVER by_day = symbol THEN pledge_pct - LAG(pledge_pct) OVER by_day END AS pledge_change,
           COALESCE(LEAD(symbol) OVER by_day <> symbol, TRUE) AS is_newest
    FROM   pledges
    WHERE  COALESCE(filed_on, period_end) <= as_of()
    AND    ($symbols IS NULL OR array_has($symbols, symbol))
    WINDOW by_day AS (ORDER BY symbol, period_end)
)
SELECT r.symbol,
       c.company_name,
       r.promoter_pct,
       r.promoter_change,
       r.fii_pct,
       r.fii_change,
       r.dii_pct,
       r.dii_change,
       p.pledge_pct,
       p.pledge_change,
       r.period_end
FROM   reports r
LEFT   JOIN companies c ON c.symbol = r.symbol
LEFT   JOIN pledged p ON p.symbol = r.symbol AND p.is_newest
WHERE  r.is_newest
ORDER  BY abs(CASE $by WHEN 'promoter_change' THEN r.promoter_change WHEN 'dii_change' THEN r.dii_change
                       WHEN 'pledge_change' THEN p.pledge_change ELSE r.fii_change END) DESC NULLS LAST,
          r.symbol
LIMIT  $limit
