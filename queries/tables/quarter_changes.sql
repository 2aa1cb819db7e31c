-- Quarter changes: every announced quarter of every company with the quarters a year and a quarter before it, and its surprise.
--
-- A quarter is compared with the quarter a year before and the quarter before it, never with another quarter instead. The surprise is the
-- change of earnings a share over a year in units of its own spread over the eight quarters before. A quarter that was filed in a wrong
-- unit has no figures.
--
-- key:     symbol, quarter_index
-- sorted:  symbol, quarter_index
-- of-day: is_latest
-- formula: earnings 3
-- column: symbol               text
-- column: period_end           date
-- column: quarter_index        int
-- column: is_latest            bool          "Whether it is the company's newest announced quarter."
-- column: basis                text
-- column: announced_on         date
-- column: filed_assumed        bool
-- column: revenue              number? money
-- column: pat                  number? money
-- column: opm_pct              number? pct
-- column: eps                  number? price "Earnings a share of the period, diluted where known, adjusted for later splits."
-- column: eps_change           number? price "Earnings a share less those of the same quarter a year before."
-- column: sue                  number? ratio "Standardised surprise: the change of earnings a share over a year by its sample deviation over the eight quarters before."
-- column: pat_growth_yoy       number? pct   "Growth of profit after tax over the same quarter a year before; null unless both are positive."
-- column: pat_growth_qoq       number? pct   "Growth of profit after tax over the quarter before; null unless both are positive."
-- column: revenue_growth_yoy   number? pct   "Growth of revenue over the same quarter a year before; null unless both are positive."
-- column: revenue_growth_qoq   number? pct   "Growth of revenue over the quarter before; null unless both are positive."
-- column: margin_change_yoy    number? points "Operating margin less that of the same quarter a year before."
WITH quarters AS (
    SELECT symbol,
           period_end,
           quarter_index,
           basis,
           announced_on,
           filed_assumed,
           CASE WHEN NOT wrong_unit THEN revenue END     AS revenue,
           CASE WHEN NOT wrong_unit THEN pat END         AS pat,
           CASE WHEN NOT wrong_unit THEN opm_pct END     AS opm_pct,
           CASE WHEN NOT wrong_unit THEN eps_diluted END AS eps_diluted,
           CASE WHEN NOT wrong_unit THEN eps_basic END   AS eps_basic,
           ROW_NUMBER() OVER (PARTITION BY symbol, quarter_index ORDER BY period_end DESC) AS turn
    FROM   statements
    WHERE  period_type = 'quarterly'
    AND    (revenue IS NOT NULL OR pat IS NOT NULL)
),
single AS (
    SELECT *, quarter_index = MAX(quarter_index) OVER (PARTITION BY symbol) AS is_latest
    FROM   quarters
    WHERE  turn = 1
),
before AS (
    SELECT *,
           COALESCE(eps_diluted, eps_basic) AS eps,
           first_value(pat)         OVER quarter_ago AS pat_quarter,
           first_value(revenue)     OVER quarter_ago AS revenue_quarter,
           first_value(pat)         OVER year_ago    AS pat_year,
           first_value(revenue)     OVER year_ago    AS revenue_year,
           first_value(opm_pct)     OVER year_ago    AS opm_year,
           first_value(eps_diluted) OVER year_ago    AS diluted_year,
           first_value(eps_basic)   OVER year_ago    AS basic_year
    FROM   single
    WINDOW quarter_ago AS (PARTITION BY symbol ORDER BY quarter_index RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING),
           year_ago    AS (PARTITION BY symbol ORDER BY quarter_index RANGE BETWEEN 4 PRECEDING AND 4 PRECEDING)
),
compared AS (
    SELECT *,
           COALESCE(eps_diluted - diluted_year, eps_basic - basic_year)                                 AS eps_change,
           CASE WHEN pat > 0 AND pat_year > 0 THEN 100 * (pat / pat_year - 1) END                       AS pat_growth_yoy,
           CASE WHEN pat > 0 AND pat_quarter > 0 THEN 100 * (pat / pat_quarter - 1) END                 AS pat_growth_qoq,
           CASE WHEN revenue > 0 AND revenue_year > 0 THEN 100 * (revenue / revenue_year - 1) END       AS revenue_growth_yoy,
           CASE WHEN revenue > 0 AND revenue_quarter > 0 THEN 100 * (revenue / revenue_quarter - 1) END AS revenue_growth_qoq,
           opm_pct - opm_year AS margin_change_yoy
    FROM   before
),
spreads AS (
    SELECT q.symbol, q.quarter_index, STDDEV_SAMP(b.eps_change) AS spread
    FROM   single q
    JOIN   compared b ON b.symbol = q.symbol AND b.quarter_index BETWEEN q.quarter_index - 8 AND q.quarter_index - 1
    GROUP  BY q.symbol, q.quarter_index
    HAVING COUNT(b.eps_change) = 8
)
SELECT q.symbol,
       q.period_end,
       q.quarter_index,
       q.is_latest,
       q.basis,
       q.announced_on,
       q.filed_assumed,
       q.revenue,
       q.pat,
       q.opm_pct,
       q.eps,
       q.eps_change,
       -- Less than this is the arithmetic of equal changes, which have no spread.
       CASE WHEN s.spread > 1e-9 THEN q.eps_change / s.spread END AS sue,
       q.pat_growth_yoy,
       q.pat_growth_qoq,
       q.revenue_growth_yoy,
       q.revenue_growth_qoq,
       q.margin_change_yoy
FROM   compared q
LEFT   JOIN spreads s ON s.symbol = q.symbol AND s.quarter_index = q.quarter_index
ORDER  BY q.symbol, q.quarter_index
