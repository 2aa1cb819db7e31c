-- Figures to watch of the stocks in the caller's lists, or of named stocks.
--
-- The price, its change, the rating and what it was a session before, the stage, the scans that the stock is in, and when results came and
-- are due. A stock that left the market has no row. Without `list` and `symbols`, all stocks answer.
--
-- tool:   get_watchlist
-- tier:   premium_web
-- group:  Lists
-- answer: list
-- optional: scans, earnings
-- param:  list     list? in 1..8 own-list "Names of your lists, with commas between."
-- param:  symbols  list? of companies.symbol in 0..200 "Symbols of stocks, with commas between." e.g. BAXIPAPOWR
-- param:  sort_by  text = rs_rating in (rs_rating, rs_change, change_pct, pct_from_high, scan_count, results_due) rest-only "Column to sort by." e.g. change_pct
-- param:  sort_dir text = desc in (desc, asc) rest-only "The largest first, or the smallest."
-- param:  limit    int = 200 in 1..400 rest-only "Rows to return." e.g. 20
-- column: rs_change   int?  points "Rating now less that of the session before."
-- column: scan_names  text? "The scans that the stock is in, with commas between."
-- column: results_on  date? "When the company last announced results."
-- also:   us
-- us-tool: us_get_watchlist
-- us-names: market_cap_cr = market_cap_b
-- us-param: symbols  list? of companies.symbol in 0..200 "Tickers of stocks, with commas between." e.g. BAQEBO
WITH listed_stocks AS (
    SELECT *
    FROM   stocks
    WHERE  ($list IS NULL AND $symbols IS NULL OR $list IS NOT NULL AND array_has($list, symbol) OR $symbols IS NOT NULL AND array_has($symbols, symbol))
)
SELECT a.symbol,
       a.company_name,
       a.price_cmp,
       a.change_pct,
       a.rs_rating,
       a.rs_rating - h.rs_rating AS rs_change,
       a.stage,
       a.pct_from_high,
       NULLIF(CONCAT_WS(', ',
           CASE WHEN c.in_stage2 THEN 'stage 2' END,
           CASE WHEN c.in_near_high THEN 'near high' END,
           CASE WHEN c.in_high_vol THEN 'high volume' END,
           CASE WHEN c.is_eligible AND c.vcp THEN 'contraction' END,
           CASE WHEN c.in_brs THEN 'ready' END), '') AS scan_names,
       c.scan_count,
       n.announced_on AS results_on,
       t.results_due,
       a.market_cap_cr,
       a.market_cap_assumed,
       a.sector,
       a.session
FROM   listed_stocks a
LEFT   JOIN rs_history h ON h.symbol = a.symbol AND h.session = session_ago(1)
LEFT   JOIN scans c ON c.symbol = a.symbol
LEFT   JOIN earnings n ON n.symbol = a.symbol AND n.is_latest
LEFT   JOIN expected_results t ON t.symbol = a.symbol
ORDER  BY CASE $sort_dir WHEN 'asc' THEN 1 ELSE -1 END
              * CASE $sort_by
                    WHEN 'rs_change'     THEN CAST(a.rs_rating - h.rs_rating AS DOUBLE)
                    WHEN 'change_pct'    THEN a.change_pct
                    WHEN 'pct_from_high' THEN a.pct_from_high
                    WHEN 'scan_count'    THEN CAST(c.scan_count AS DOUBLE)
                    WHEN 'results_due'   THEN CAST(CAST(t.results_due AS INT) AS DOUBLE)
                    ELSE CAST(a.rs_rating AS DOUBLE)
                END NULLS LAST,
          a.symbol
LIMIT  $limit
