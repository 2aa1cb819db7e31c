-- Shareholding of a company by quarter, the newest first.
--
-- Changes are in percentage points against the quarter before; they are null where that quarter is missing. Filings between quarters are left out.
--
-- tool:   get_shareholding
-- tier:   api_pro
-- group:  Company Intel
-- answer: list
-- param:  symbol  text                "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  periods int = 8 in 1..16    "Quarters to return, the newest first." e.g. 4
-- column: quarter         text           "Quarter by its last month, such as Jun 2026."
-- column: promoter_change number? points "Promoters' share less that of the quarter before."
-- column: public_change   number? points "The public's share less that of the quarter before."
-- column: trusts_change   number? points "The trusts' share less that of the quarter before."
-- column: source          text
WITH periods AS (
    SELECT symbol,
           period_end,
           promoter_pct,
           public_pct,
           trusts_pct,
           LAG(period_end)   OVER quarters AS period_before,
           LAG(promoter_pct) OVER quarters AS promoter_before,
           LAG(public_pct)   OVER quarters AS public_before,
           LAG(trusts_pct)   OVER quarters AS trusts_before
    FROM   shareholding
    WHERE  symbol = $symbol
    AND    date_part('month', period_end) IN (3, 6, 9, 12)
    AND    date_part('day', period_end + 1) = 1
    WINDOW quarters AS (ORDER BY period_end)
)
SELECT p.symbol,
       c.company_name,
       to_char(p.period_end, '%b %Y') AS quarter,
       p.period_end,
       p.promoter_pct,
       p.public_pct,
       p.trusts_pct,
       CASE WHEN p.period_end - p.period_before <= 100 THEN p.promoter_pct - p.promoter_before END AS promoter_change,
       CASE WHEN p.period_end - p.period_before <= 100 THEN p.public_pct - p.public_before END     AS public_change,
       CASE WHEN p.period_end - p.period_before <= 100 THEN p.trusts_pct - p.trusts_before END     AS trusts_change,
       'shareholding pattern' AS source
FROM   periods p
LEFT   JOIN companies c ON c.symbol = p.symbol
ORDER  BY p.period_end DESC
LIMIT  $periods
