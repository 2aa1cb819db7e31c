-- Splits and bonuses have a factor above zero; a bonus and a split of shares make prices smaller, never by more than a hundred.
--
-- severity: note
SELECT symbol, ex_date, action, action_type, factor, origin
FROM   corporate_actions
WHERE  factor <= 0
   OR  (action_type = 'bonus' AND factor > 1)
   OR  factor NOT BETWEEN 0.001 AND 1000
ORDER  BY symbol, ex_date
