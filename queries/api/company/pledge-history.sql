-- Pledges of a company's promoters by quarter, the newest first.
--
-- Changes are in percentage points against the quarter before; they are null if that quarter is missing.
--
-- tool:   get_pledge_history
-- tier:   api_pro
-- group:  Company Intel
-- answer: list
-- page:   company/{symbol}/ownership
-- picture: bars title="Pledged of the promoters' shares" period=quarter value=pledge_pct:"Pledged" end=period_end
-- optional: shareholding
-- param:  symbol        text "Symbol of the company on NSE." e.g. TOXIFATELE
-- column: quarter       text "Quarter by its last month, such as Jun 2026."
-- column: pledge_change number? points "Pledged part of the promoters' shares less that of the quarter before."
WITH filed AS (
    SELECT p.symbol,
           p.period_end,
           COALESCE(p.promoter_pct, h.promoter_pct) AS promoter_pct,
           p.pledge_pct,
           p.pledged_of_total_pct,
           p.pledged_shares,
           p.filed_on,
           p.source
    FROM   pledges p
    LEFT   JOIN shareholding h ON h.symbol = p.symbol AND h.period_end = p.period_end
    WHERE  p.symbol = $symbol
    AND    COALESCE(p.filed_on, p.period_end) <= as_of()
),
quarters AS (
    SELECT *,
           LAG(period_end) OVER (ORDER BY period_end) AS period_before,
           LAG(pledge_pct) OVER (ORDER BY period_end) AS pledge_before
    FROM   filed
)
SELECT q.symbol,
       c.company_name,
       to_char(q.period_end - 14, '%b %Y') AS quarter,
       q.period_end,
       q.promoter_pct,
       q.pledge_pct,
       COALESCE(q.pledged_of_total_pct, q.pledge_pct * q.promoter_pct / 100) AS pledged_of_total_pct,
       q.pledged_shares,
       CASE WHEN q.period_end - q.period_before <= 100 THEN q.pledge_pct - q.pledge_before END AS pledge_change,
       q.filed_on,
       q.source
FROM   quarters q
LEFT   JOIN companies c ON c.symbol = q.symbol
ORDER  BY q.period_end DESC
