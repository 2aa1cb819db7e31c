-- Sector indices: the sectors' own price series, chained from the daily changes of their stocks.
--
-- The level is 1,000 before the first session. Changes are weighted by the market cap of the bar before; a stock without one weighs as the
-- median of the sector. A class of shares whose market cap is counted in another one is left out of the weighting, and all count equally on a session on which no stock
-- of the sector has one.
--
-- key:     sector, session
-- sorted:  sector, session
-- formula: chain index 3
-- column: sector text
-- column: session      date
-- column: index_level  number price "Level of the chained index, 1,000 before its first session."
-- column: stocks_counted int count "Stocks whose change went into the index in the session."
-- column: weights_assumed bool "Whether a market cap that weighs the session's changes is assumed: it uses a number of shares that became known only later, or is the median of the others."
-- also: industry_indices
-- industry-indices-title: Industry indices: the industries' own price series, chained from the daily changes of their stocks
-- industry-indices-prose: The level is 1,000 before the first session. Changes are weighted by the market cap of the bar before; a stock
-- industry-indices-prose: without one weighs as the median of the industry. A class of shares whose market cap is counted in another one is
-- industry-indices-prose: left out of the weighting, and all count equally on a session on which no stock of the industry has one.
-- industry-indices-names: sector = industry, sector_growths = industry_growths
-- industry-indices-column: weights_assumed bool
SELECT sector,
       session,
       1000 * EXP(SUM(LN(1 + growth)) OVER (PARTITION BY sector ORDER BY session)) AS index_level,
       stocks_counted,
       weights_assumed
FROM   sector_growths
WHERE  growth > -1
ORDER  BY sector, session
