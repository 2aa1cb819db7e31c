-- Explorer: every ratio of a company beside its sector: median, quartiles, its place and how many have it, the best place first.
--
-- An operation of the explorer. Peers are the companies of the sector that traded in the last five sessions and have the ratio, the company
-- itself among them; banks, lenders and insurers are compared only with each other, and Altman's score only within one model. Place 1 is
-- the best, whether high or low figures are better, and equal ratios share a place. In the percentile more is always better. Median,
-- quartiles and percentile need five peers. Ratios that do not apply to the company's kind of business are left out.
--
-- tool:   none
-- tier:   free
-- group:  Explorer
-- answer: list
-- page:   company/{symbol}/ratios
-- free-symbols: yes
-- picture: ranking title="Ratios by their place in the sector" of=ratio_name value=sector_percentile:"Percentile in the sector, 100 is best"
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- column: sector_lower_quartile number? ratio "A quarter of the peers have a smaller ratio; in the ratio's own unit."
-- column: sector_median         number? ratio "Median of the peers, in the ratio's own unit."
-- column: sector_upper_quartile number? ratio "A quarter of the peers have a larger ratio; in the ratio's own unit."
-- column: ratio_place           int? rank "Place among the peers by this ratio, 1 is the best; null where the company is no peer or lacks the ratio."
-- column: peers_missing         int count "Companies that would be peers and lack the ratio."
-- column: sector_percentile     number? score "Percentile among the peers of the sector, 100 is best; null for fewer than five."
-- also:   us
-- us-tier: api_pro
-- us-free-symbols: no
-- us-param: symbol text "Ticker of the company." e.g. BAQEBO
WITH own AS (
    SELECT symbol, sector, business_kind <> 'other' AS is_lender, altman_model, is_eligible
    FROM   fundamentals
    WHERE  symbol = $symbol
),
held AS (
    SELECT r.symbol,
           r.ratio_code,
           r.ratio_value,
           r.sector,
           r.period,
           r.period_end,
           r.balance_date,
           c.ratio_name,
           c.ratio_unit,
           c.ratio_formula,
           c.better,
           CASE c.better WHEN 'lower' THEN -1 ELSE 1 END AS sign,
           o.is_eligible
    FROM   ratios r
    JOIN   ratio_codes c ON c.ratio_code = r.ratio_code
    JOIN   own o ON o.symbol = r.symbol
    WHERE  r.symbol = $symbol
    AND    r.applies
),
peers AS (
    SELECT r.ratio_code, r.ratio_value
    FROM   own o
    JOIN   fundamentals f ON f.sector = o.sector
    JOIN   ratios r ON r.symbol = f.symbol
    WHERE  f.is_eligible
    AND    (f.business_kind <> 'other') = o.is_lender
    AND    r.ratio_value IS NOT NULL
    AND    (r.ratio_code <> 'altman_z_score' OR f.altman_model = o.altman_model)
),
counts AS (
    SELECT h.ratio_code,
           COUNT(*)                                                            AS peer_count,
           COUNT(*) FILTER (WHERE h.sign * p.ratio_value > h.sign * h.ratio_value) AS better_count,
           COUNT(*) FILTER (WHERE h.sign * p.ratio_value < h.sign * h.ratio_value) AS worse_count,
           percentile_cont(p.ratio_value, 0.25)                                AS lower_quartile,
           percentile_cont(p.ratio_value, 0.5)                                 AS middle,
           percentile_cont(p.ratio_value, 0.75)                                AS upper_quartile
    FROM   held h
    JOIN   peers p ON p.ratio_code = h.ratio_code
    GROUP  BY h.ratio_code
),
places AS (
    SELECT h.*,
           COALESCE(n.peer_count, 0)                                                AS peer_count,
           CASE WHEN h.is_eligible AND h.ratio_value IS NOT NULL THEN n.better_count + 1 END AS ratio_place,
           CASE WHEN n.peer_count >= 5 THEN n.lower_quartile END                    AS sector_lower_quartile,
           CASE WHEN n.peer_count >= 5 THEN n.middle END                            AS sector_median,
           CASE WHEN n.peer_count >= 5 THEN n.upper_quartile END                    AS sector_upper_quartile,
           -- Those who tie share the mean of their places.
           CASE WHEN h.is_eligible AND h.ratio_value IS NOT NULL AND n.peer_count >= 5
               THEN 50.0 * (n.peer_count - 1 + n.worse_count - n.better_count) / (n.peer_count - 1)
           END AS sector_percentile
    FROM   held h
    LEFT   JOIN counts n ON n.ratio_code = h.ratio_code
),
comparable AS (
    SELECT COUNT(*) AS companies, COUNT(*) FILTER (WHERE f.altman_model = o.altman_model) AS of_model
    FROM   own o
    JOIN   fundamentals f ON f.sector = o.sector
    WHERE  f.is_eligible
    AND    (f.business_kind <> 'other') = o.is_lender
)
SELECT symbol,
       sector,
       ratio_code,
       ratio_name,
       ratio_value,
       ratio_unit,
       sector_lower_quartile,
       sector_median,
       sector_upper_quartile,
       ratio_place,
       peer_count,
       CASE ratio_code WHEN 'altman_z_score' THEN of_model ELSE companies END - peer_count AS peers_missing,
       sector_percentile,
       better,
       ratio_formula,
       period,
       period_end,
       balance_date
FROM   places
CROSS  JOIN comparable
ORDER  BY sector_percentile DESC NULLS LAST, ratio_code
