-- Sectors, the strongest first: how many stocks, how strong, how large.
--
-- tool:   get_market_sectors
-- tier:   free
-- group:  Core
-- answer: list
SELECT sector,
       stock_count,
       avg_rs_rating,
       elite_count,
       advances,
       declines,
       total_market_cap_cr
FROM   sectors
ORDER  BY avg_rs_rating DESC NULLS LAST, sector
