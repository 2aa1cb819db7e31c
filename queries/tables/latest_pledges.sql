-- Latest pledges: the pledge of each company's promoters as last filed by the market's date.
--
-- market:  india
-- key:     symbol
-- sorted:  symbol
-- column: symbol      text
-- column: pledge_pct  number pct
-- column: pledge_date date       "Date of the pledge."
SELECT symbol, pledge_pct, period_end AS pledge_date
FROM   (SELECT symbol,
               pledge_pct,
               period_end,
               ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS turn
        FROM   pledges
        WHERE  COALESCE(filed_on, period_end) <= as_of())
WHERE  turn = 1
ORDER  BY symbol
