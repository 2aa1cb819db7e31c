-- Figures of a company's own sector, such as volumes, stores or order books: by quarter, the newest first.
--
-- Changes are against the same quarter of the year before; figures in percent change by points only. A bank or lender of which no file of
-- your own has rows has what it filed with its results: loans, deposits, net interest, bad loans and Tier 1 capital.
--
-- tool:   get_sector_kpis
-- tier:   api_pro
-- group:  AI Content
-- answer: list
-- optional: sector_kpis, filed_bank_figures
-- param:  symbol  text    "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  period  period? "Quarter by its last month; if omitted, all quarters." e.g. Jun 2026
-- column: quarter text    "Quarter by its last month, such as Jun 2026."
-- column: kpi_change_yoy     number? "The figure less that of a year before, in its unit."
-- column: kpi_growth_yoy_pct number? pct    "Growth of the figure over a year; null for figures in percent."
WITH filed AS (
    SELECT *
    FROM   filed_bank_figures
    WHERE  symbol = $symbol
    -- Figures that `parquote write` read from documents are not among the filed ones, and are listed beside them.
    AND    NOT EXISTS (SELECT 1 FROM sector_kpis WHERE symbol = $symbol AND COALESCE(source, '') NOT LIKE '%, prompt sector_kpis %')
),
figures AS (
    SELECT symbol, period_end, kpi, kpi_name, kpi_value, kpi_unit, filed_on, source
    FROM   sector_kpis
    WHERE  symbol = $symbol
    AND    COALESCE(filed_on, period_end) <= as_of()
    UNION  ALL
    SELECT f.symbol,
           f.period_end,
           k.kpi,
           k.kpi_name,
           CASE k.kpi
               WHEN 'advances'       THEN f.advances_cr
               WHEN 'deposits'       THEN f.deposits_cr
               WHEN 'credit_deposit' THEN f.credit_deposit_pct
               WHEN 'nii'            THEN f.nii_cr
               WHEN 'gnpa'           THEN f.gnpa_pct
               WHEN 'nnpa'           THEN f.nnpa_pct
               WHEN 'pcr'            THEN f.pcr_pct
               WHEN 'tier1'          THEN f.tier1_pct
           END AS kpi_value,
           k.kpi_unit,
           f.filed_on,
           f.source
    FROM   filed f
    CROSS  JOIN (VALUES
               ('advances', 'Advances', 'INR crore'),
               ('deposits', 'Deposits', 'INR crore'),
               ('credit_deposit', 'Advances to deposits', '%'),
               ('nii', 'Net interest income', 'INR crore'),
               ('gnpa', 'Gross bad loans to advances', '%'),
               ('nnpa', 'Net bad loans to advances', '%'),
               ('pcr', 'Provision cover of bad loans', '%'),
               ('tier1', 'Tier 1 capital to risk-weighted assets', '%')
           ) AS k (kpi, kpi_name, kpi_unit)
)
SELECT k.symbol,
       c.company_name,
       c.sector,
       to_char(k.period_end - 14, '%b %Y') AS quarter,
       k.period_end,
       k.kpi,
       k.kpi_name,
       ROUND(k.kpi_value, 6) AS kpi_value,
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
WHERE  k.kpi_value IS NOT NULL
AND    ($period IS NULL OR to_char(k.period_end - 14, '%b %Y') = $period)
ORDER  BY k.period_end DESC, k.kpi
