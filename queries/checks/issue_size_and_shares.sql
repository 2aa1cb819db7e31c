-- Shares outstanding of the last balance sheet are near those behind the market cap.
--
-- Of balance sheets of the last 400 days, and within a half and the double, for splits between the two and shares that are not
-- listed; companies with depositary receipts or several classes of shares are the usual exceptions.
--
-- severity: note
WITH newest AS (
  SELECT symbol, last_value(value ORDER BY period_end, filed_at NULLS FIRST) AS shares, max(period_end) AS period_end
  FROM   statement_lines
  WHERE  line = 'shares_outstanding'
  GROUP  BY symbol
),
later AS (
  SELECT n.symbol, exp(sum(-ln(a.factor))) AS split
  FROM   newest AS n
         JOIN corporate_actions AS a ON a.symbol = n.symbol AND a.ex_date > n.period_end
  WHERE  a.factor > 0
  GROUP  BY n.symbol
)
SELECT s.symbol, n.period_end, n.shares * coalesce(l.split, 1.0) AS reported, s.market_cap / s.price_cmp AS behind_the_market_cap
FROM   stocks AS s
       JOIN newest AS n ON n.symbol = s.symbol
       LEFT JOIN later AS l ON l.symbol = s.symbol
WHERE  n.period_end >= s.session - INTERVAL '400 days'
  AND  n.shares * coalesce(l.split, 1.0) * s.price_cmp / s.market_cap NOT BETWEEN 0.5 AND 2
ORDER  BY s.symbol
