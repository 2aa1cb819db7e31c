-- An investor's positions are ranked by value, each is its part of the portfolio, and changes are those of the shares.
--
-- market: us
-- severity: error
WITH ranked AS (
  SELECT cik, investor, cusip, value_usd, portfolio_value_usd, portfolio_pct, portfolio_rank, shares, prior_shares,
         shares_change,
         lag(portfolio_rank) OVER best AS better_rank
  FROM   investor_holdings
  WINDOW best AS (PARTITION BY cik ORDER BY value_usd DESC, cusip)
)
SELECT cik, investor, cusip, value_usd, portfolio_value_usd, portfolio_pct, portfolio_rank, better_rank, shares,
       prior_shares, shares_change
FROM   ranked
WHERE  abs(portfolio_pct - 100 * value_usd / portfolio_value_usd) > 1e-6
   OR  portfolio_rank < better_rank
   OR  shares_change <> shares - prior_shares
ORDER  BY cik, portfolio_rank, cusip
