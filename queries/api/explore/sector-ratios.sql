-- Explorer: every ratio of a company beside its sector: median, quartiles, its place and how many have it, the best place first.
--
-- An operation of the explorer. Peers are the companies of the sector that traded in the last five sessions and have the ratio, the
-- company itself among them; banks, lenders and insurers stand against each other alone, and for Altman's score those of the same model.
-- A place of 1 is the best, whichever way is better, and equal ratios share one. The percentile is turned so that more is better. Median,
-- quartiles and percentile need five peers. Ratios that do not apply to the company's kind of business are left out.
--
-- tool:   none
-- tier:   free
-- group:  Explorer
-- answer: list
-- free-symbols: yes
-- picture: ranking title="Ratios by their place in the sector" of=ratio_name value=sector_percentile:"Percentile in the sector, 100 is best"
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- column: sector_lower_quartile number? ratio "A quarter of the peers have a smaller ratio; in the ratio's own unit."
-- column: sector_median         number? ratio "Median of the peers, in the ratio's own unit."
-- column: sector_upper_quartile number? ratio "A quarter of the peers have a larger ratio; in the ratio's own unit."
-- column: ratio_place           int? rank "Place among the peers by this ratio, 1 is the best; null where the company is no peer or lacks the ratio."
-- column: sector_percentile     number? score "Percentile among the peers of the sector, 100 is best; null for fewer than five."
-- also:   us
-- us-tier: api_pro
-- us-free-symbols: no
-- us-param: symbol text "Ticker of the company." e.g. BAQEBO
WITH own AS (
    SELECT symbol, sector, business_kind <> 'other' AS is_lender, altman_model
    FROM   fundamentals
    WHERE  symbol = $symbol
),
peers AS (
    SELECT r.symbol,
           r.ratio_code,
           r.ratio_value,
           CASE c.better WHEN 'lower' THEN -r.ratio_value ELSE r.ratio_value END AS goodness
    FROM   own o
    JOIN   fundamentals f ON f.sector = o.sector
    JOIN   ratios r ON r.symbol = f.symbol
    JOIN   ratio_codes c ON c.ratio_code = r.ratio_code
    WHERE  f.is_eligible
    AND    (f.business_kind <> 'other') = o.is_lender
    AND    r.ratio_value IS NOT NULL
    AND    (r.ratio_code <> 'altman_z_score' OR f.altman_model = o.altman_model)
),
sectors AS (
    SELECT ratio_code,
           COUNT(*) AS peer_count,
           CASE WHEN COUNT(*) >= 5 THEN percentile_cont(ratio_value, 0.25) END AS sector_lower_quartile,
           CASE WHEN COUNT(*) >= 5 THEN percentile_cont(ratio_value, 0.5)  END AS sector_median,
           CASE WHEN COUNT(*) >= 5 THEN percentile_cont(ratio_value, 0.75) END AS sector_upper_quartile
    FROM   peers
    GROUP  BY ratio_code
),
places AS (
    SELECT symbol,
           ratio_code,
           RANK() OVER (PARTITION BY ratio_code ORDER BY goodness DESC) AS ratio_place,
           percentile(goodness) OVER (PARTITION BY ratio_code)          AS sector_percentile
    FROM   peers
)
SELECT r.symbol,
       r.sector,
       r.ratio_code,
       c.ratio_name,
       r.ratio_value,
       c.ratio_unit,
       s.sector_lower_quartile,
       s.sector_median,
       s.sector_upper_quartile,
       CAST(p.ratio_place AS BIGINT)       AS ratio_place,
       COALESCE(s.peer_count, 0)           AS peer_count,
       p.sector_percentile,
       c.better,
       c.ratio_formula,
       r.period,
       r.period_end,
       r.balance_date
FROM   ratios r
JOIN   ratio_codes c ON c.ratio_code = r.ratio_code
LEFT   JOIN sectors s ON s.ratio_code = r.ratio_code
LEFT   JOIN places p ON p.ratio_code = r.ratio_code AND p.symbol = r.symbol
WHERE  r.symbol = $symbol
AND    r.applies
ORDER  BY p.sector_percentile DESC NULLS LAST, r.ratio_code
