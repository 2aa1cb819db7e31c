-- Assets are what is owed to others, to a minority and to owners.
--
-- To a two-hundredth of the assets; reports that leave minorities out are not looked at.
--
-- severity: note
-- identity: yes
WITH newest AS (
  SELECT symbol, basis, period_type, period_end, line, last_value(value ORDER BY filed_at NULLS FIRST) AS value
  FROM   statement_lines
  WHERE  statement = 'balance'
  GROUP  BY symbol, basis, period_type, period_end, line
),
sheets AS (
  SELECT symbol, basis, period_type, period_end,
         max(value) FILTER (WHERE line = 'total_assets') AS total_assets,
         max(value) FILTER (WHERE line = 'total_liabilities') AS total_liabilities,
         max(value) FILTER (WHERE line = 'equity') AS equity,
         coalesce(max(value) FILTER (WHERE line = 'minority_interest'), 0.0) AS minority_interest
  FROM   newest
  GROUP  BY symbol, basis, period_type, period_end
)
SELECT symbol, basis, period_type, period_end, total_assets, total_liabilities, equity, minority_interest,
       total_assets - total_liabilities - equity - minority_interest AS missing
FROM   sheets
WHERE  abs(total_assets - total_liabilities - equity - minority_interest) > 0.005 * total_assets
ORDER  BY symbol, period_end, basis
