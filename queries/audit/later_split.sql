-- A split or bonus after the day: figures a share and counts of shares are told in the shares of today.
--
-- kind:    split
-- tables:  statements, reported_periods, quarter_changes, compared_quarters, earnings
-- columns: eps, eps_change, eps_basic, eps_diluted, shares_diluted, shares_outstanding, dividend_per_share
SELECT symbol, exp(sum(ln(factor))) AS factor
FROM   whole.corporate_actions
WHERE  ex_date > (SELECT max(session) FROM past.sessions)
  AND  factor > 0 AND factor <> 1
GROUP  BY symbol
