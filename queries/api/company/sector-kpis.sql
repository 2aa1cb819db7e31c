-- Figures of a company's own sector, such as volumes, stores or order books: by quarter, the newest first.
--
-- Changes are against the same quarter of the year before; figures in percent change by points only.
--
-- tool:   get_sector_kpis
-- tier:   api_pro
-- group:  AI Content
-- answer: list
-- param:  symbol  text    "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  period  period? "Quarter by its last month; left out, all quarters." e.g. Jun 2026
-- column: quarter text    "Quarter by its last month, such as Jun 2026."
-- column: kpi_change_yoy     number? "The figure less that of a year before, in its unit."
-- column: kpi_growth_yoy_pct number? pct    "Growth of the figure over a year; null for figures in percent."
WITH figures AS (
    SELECT *
    FROM   sector_kpis
    WHERE  symbol = $symbol
    AND    COALESCE(filed_on, period_end) <= as_of()
)
SELECT k.symbol,
       c.company_name,
       c.sector,
       to_char(k.period_end - 14, '%b %Y') AS quarter,
       k.period_end,
       k.kpi,
       k.kpi_name,
       k.kpi_value,
       k.kpi_unit,
       ROUND(k.kpi_value - b.kpi_value, 6) AS kpi_change_yoy,
       CASE WHEN k.kpi_unit <> '%' AND b.kpi_value > 0 THEN 100 * (k.kpi_value / b.kpi_value - 1) END AS kpi_growth_yoy_pct,
       k.filed_on,
       k.source
FROM   figures k
LEFT   JOIN figures b
ON     b.kpi = k.kpi
AND    b.kpi_unit = k.kpi_unit
AND    to_char(b.period_end - 14, '%Y %m') = to_char(k.period_end - 14 - INTERVAL '1 year', '%Y %m')
LEFT   JOIN companies c ON c.symbol = k.symbol
WHERE  ($period IS NULL OR to_char(k.period_end - 14, '%b %Y') = $period)
ORDER  BY k.period_end DESC, k.kpi
