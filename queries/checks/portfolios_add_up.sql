-- The positions of an investor are parts of one portfolio, ranked by their value, and their changes are those of the shares.
--
-- Options and bonds are in the portfolio's value and not among the positions, so parts make a hundred percent or less.
--
-- market: us
-- severity: error
WITH ranked AS (
  SELECT cik, investor, cusip, value_usd, portfolio_pct, portfolio_rank, portfolio_value_usd, shares, prior_shares,
         shares_change,
         sum(portfolio_pct)  OVER (PARTITION BY cik) AS pct_together,
         lag(value_usd)      OVER best AS larger_value,
         lag(portfolio_rank) OVER best AS better_rank
  FROM   investor_holdings
  WINDOW best AS (PARTITION BY cik ORDER BY value_usd DESC, cusip)
)
SELECT cik, investor, cusip, value_usd, portfolio_value_usd, portfolio_pct, pct_together, portfolio_rank, better_rank,
       shares, prior_shares, shares_change
FROM   ranked
WHERE  pct_together > 100.0001
   OR  abs(portfolio_pct - 100 * value_usd / portfolio_value_usd) > 1e-6
   OR  portfolio_rank < better_rank
   OR  shares_change <> shares - prior_shares
ORDER  BY cik, portfolio_rank, cusip
