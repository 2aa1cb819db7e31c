-- Shareholding of a company by quarter and class of holders, the newest first.
--
-- Promoters, the public and trusts add up to 100; the public is foreign and domestic institutions, governments and non-institutions, and mutual
-- funds and insurers are a part of the domestic institutions. A class that the source does not have is null. Changes are in percentage points
-- against the quarter before; they are null where that quarter or its class is missing. Filings between quarters are left out.
--
-- tool:   get_shareholding
-- tier:   api_pro
-- group:  Company Intel
-- answer: list
-- page:   company/{symbol}/ownership
-- picture: bars title="Institutions among the shareholders" period=quarter value=fii_pct:"Foreign institutions",dii_pct:"Domestic institutions" end=period_end
-- param:  symbol  text                "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  periods int = 8 in 1..16    "Quarters to return, the newest first." e.g. 4
-- column: quarter                text           "Quarter by its last month, such as Jun 2026."
-- column: promoter_change        number? points "Promoters' share less that of the quarter before."
-- column: public_change          number? points "The public's share less that of the quarter before."
-- column: fii_change             number? points "Foreign institutions' share less that of the quarter before."
-- column: dii_change             number? points "Domestic institutions' share less that of the quarter before."
-- column: mutual_fund_change     number? points "Mutual funds' share less that of the quarter before."
-- column: non_institution_change number? points "Share of the public's non-institutions less that of the quarter before."
-- column: trusts_change          number? points "The trusts' share less that of the quarter before."
WITH filed AS (
    SELECT *, LAG(period_end) OVER (ORDER BY period_end) AS period_before
    FROM   shareholding
    WHERE  symbol = $symbol
    AND    COALESCE(filed_on, period_end) <= as_of()
    AND    date_part('month', period_end) IN (3, 6, 9, 12)
    AND    date_part('day', period_end + 1) = 1
)
SELECT p.symbol,
       c.company_name,
       to_char(p.period_end, '%b %Y') AS quarter,
       p.period_end,
       p.promoter_pct,
       p.public_pct,
       p.fii_pct,
       p.dii_pct,
       p.mutual_fund_pct,
       p.insurer_pct,
       p.government_pct,
       p.non_institution_pct,
       p.trusts_pct,
       p.promoter_pct - b.promoter_pct               AS promoter_change,
       p.public_pct - b.public_pct                   AS public_change,
       p.fii_pct - b.fii_pct                         AS fii_change,
       p.dii_pct - b.dii_pct                         AS dii_change,
       p.mutual_fund_pct - b.mutual_fund_pct         AS mutual_fund_change,
       p.non_institution_pct - b.non_institution_pct AS non_institution_change,
       p.trusts_pct - b.trusts_pct                   AS trusts_change,
       p.filed_on,
       p.source
FROM   filed p
LEFT   JOIN filed b ON b.period_end = p.period_before AND p.period_end - b.period_end <= 100
LEFT   JOIN companies c ON c.symbol = p.symbol
ORDER  BY p.period_end DESC
LIMIT  $periods
