-- A company's pledge is that of its newest quarter on file.
--
-- market: india
-- severity: error
WITH newest AS (
  SELECT symbol, max(period_end) AS period_end, last_value(pledge_pct ORDER BY period_end) AS pledge_pct
  FROM   pledges
  GROUP  BY symbol
)
SELECT l.symbol, l.pledge_date, l.pledge_pct, n.period_end, n.pledge_pct AS newest_pct
FROM   latest_pledges AS l
       LEFT JOIN newest AS n ON n.symbol = l.symbol
WHERE  (l.pledge_date IS DISTINCT FROM n.period_end)
   OR  (l.pledge_pct IS DISTINCT FROM n.pledge_pct)
ORDER  BY l.symbol
