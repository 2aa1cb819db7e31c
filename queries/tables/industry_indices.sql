-- Industry indices: the industries' own price series, chained from the daily changes of their stocks.
--
-- The level is 1,000 before the first session. Changes are weighted by the market cap of the bar before; stocks without one are left out of
-- the weighting, as is a class of shares whose market cap is counted in another one, and all count equally on a session on which no stock
-- of the industry has one.
--
-- key:     industry, session
-- sorted:  industry, session
-- formula: chain index 2
-- column: industry text
-- column: session      date
-- column: index_level  number price "Level of the chained index, 1,000 before its first session."
-- column: stocks_counted int count "Stocks whose change went into the index in the session."
-- column: weights_assumed bool
SELECT industry,
       session,
       1000 * EXP(SUM(LN(1 + growth)) OVER (PARTITION BY industry ORDER BY session)) AS index_level,
       stocks_counted,
       weights_assumed
FROM   industry_growths
WHERE  growth > -1
ORDER  BY industry, session
