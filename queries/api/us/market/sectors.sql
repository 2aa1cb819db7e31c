-- Sectors of the US market, the strongest first: how many stocks, how strong, how large.
--
-- tool:   us_get_market_sectors
-- tier:   free
-- group:  US Markets
-- answer: list
SELECT sector,
       stock_count,
       avg_rs_rating,
       elite_count,
       advances,
       declines,
       total_market_cap_b
FROM   sectors
ORDER  BY avg_rs_rating DESC NULLS LAST, sector
