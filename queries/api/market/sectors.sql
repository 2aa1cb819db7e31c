-- Sectors, the strongest first: how many stocks, how strong, how large.
--
-- tool:   get_market_sectors
-- tier:   free
-- group:  Core
-- answer: list
-- picture: ranking title="Sectors by mean RS rating" of=sector value=avg_rs_rating:"Mean RS rating"
-- also:   us
-- us-tool:  us_get_market_sectors
-- us-group: US Markets
-- us-title: Sectors of the US market, the strongest first: how many stocks, how strong, how large
-- us-names: total_market_cap_cr = total_market_cap_b
SELECT sector,
       stock_count,
       avg_rs_rating,
       elite_count,
       advances,
       declines,
       total_market_cap_cr,
       market_cap_assumed
FROM   sectors
ORDER  BY avg_rs_rating DESC NULLS LAST, sector
