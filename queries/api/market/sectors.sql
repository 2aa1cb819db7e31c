-- Sectors, the strongest first: how many stocks, how strong, how large.
--
-- Stocks of which no file says a sector are counted together in a last row, `(no sector)`.
--
-- tool:   get_market_sectors
-- tier:   free
-- group:  Core
-- answer: list
-- page:   sectors
-- coverage: sectors
-- picture: ranking title="Sectors by mean RS rating" of=sector value=avg_rs_rating:"Mean RS rating"
-- also:   us
-- us-tool:  us_get_market_sectors
-- us-group: US Markets
-- us-title: Sectors of the US market, the strongest first: how many stocks, how strong, how large
-- us-names: total_market_cap_cr = total_market_cap_b, market_cap_cr = market_cap_b
WITH sums AS (
    SELECT sector,
           stock_count,
           avg_rs_rating,
           elite_count,
           advances,
           declines,
           total_market_cap_cr,
           market_cap_assumed,
           FALSE AS is_rest
    FROM   sectors
    UNION  ALL
    SELECT '(no sector)',
           COUNT(*),
           AVG(rs_rating),
           COUNT(*) FILTER (WHERE rs_rating >= 90),
           CASE WHEN COUNT(change_pct) > 0 THEN COUNT(*) FILTER (WHERE change_pct > 0 AND session = as_of()) END,
           CASE WHEN COUNT(change_pct) > 0 THEN COUNT(*) FILTER (WHERE change_pct < 0 AND session = as_of()) END,
           SUM(market_cap_cr) FILTER (WHERE cap_counted_in IS NULL),
           bool_or(market_cap_assumed) FILTER (WHERE cap_counted_in IS NULL),
           TRUE
    FROM   stocks
    WHERE  sector IS NULL AND session >= session_ago(4)
    HAVING COUNT(*) > 0
)
SELECT sector,
       stock_count,
       avg_rs_rating,
       elite_count,
       advances,
       declines,
       total_market_cap_cr,
       market_cap_assumed
FROM   sums
ORDER  BY is_rest, avg_rs_rating DESC NULLS LAST, sector
