-- Earnings per share times shares are the profit.
--
-- To a fiftieth of the profit, or a hundredth of a rupee or dollar a share, in which such figures are given; diluted shares where
-- both are reported in one filing.
--
-- severity: note
WITH filings AS (
  SELECT symbol, basis, period_type, period_end, filed_at,
         max(value) FILTER (WHERE line = 'eps_diluted') AS eps_diluted,
         max(value) FILTER (WHERE line = 'shares_diluted') AS shares_diluted,
         max(value) FILTER (WHERE line = 'pat') AS pat
  FROM   statement_lines
  WHERE  statement = 'income'
  GROUP  BY symbol, basis, period_type, period_end, filed_at
)
SELECT symbol, basis, period_type, period_end, filed_at, eps_diluted, shares_diluted, pat
FROM   filings
WHERE  abs(eps_diluted * shares_diluted - pat) > greatest(0.02 * abs(pat), 0.01 * shares_diluted)
ORDER  BY symbol, period_end, basis
