-- Sectors: the stocks of each sector together.
--
-- A sector counts its stocks that are eligible for a rating on the market's date; advances and declines count those that traded on that
-- date, as in `breadth`.
--
-- key:    sector
-- sorted: sector
-- schedule: 30 12 * * 1-5 india
-- schedule: 0 18 * * 1-5 us
-- stale-after-hours: 78
-- column: sector              text
-- column: stock_count         int count "Stocks in the sector."
-- column: rated_count         int count "Stocks of the sector that have a relative-strength rating."
-- column: avg_rs_rating       number? score "Mean relative-strength rating of the sector's stocks."
-- column: elite_count         int count "Stocks of the sector rated 90 or more."
-- column: advances            int? count
-- column: declines            int? count
-- column: total_market_cap_cr number? inr_crore india "Market capitalisation of the sector's companies together."
-- column: total_market_cap_b  number? usd_billion us  "Market capitalisation of the sector's companies together."
-- column: market_cap_assumed  bool?
SELECT sector,
       COUNT(*)                                    AS stock_count,
       COUNT(rs_rating)                            AS rated_count,
       AVG(rs_rating)                              AS avg_rs_rating,
       COUNT(*) FILTER (WHERE rs_rating >= 90)     AS elite_count,
       CASE WHEN COUNT(change_pct) > 0 THEN COUNT(*) FILTER (WHERE change_pct > 0 AND session = as_of()) END AS advances,
       CASE WHEN COUNT(change_pct) > 0 THEN COUNT(*) FILTER (WHERE change_pct < 0 AND session = as_of()) END AS declines,
       SUM(market_cap) FILTER (WHERE cap_counted_in IS NULL) / 1e7 AS total_market_cap_cr,
       SUM(market_cap) FILTER (WHERE cap_counted_in IS NULL) / 1e9 AS total_market_cap_b,
       bool_or(market_cap_assumed) FILTER (WHERE cap_counted_in IS NULL) AS market_cap_assumed
FROM   stocks
WHERE  sector IS NOT NULL AND session >= session_ago(4)
GROUP  BY sector
ORDER  BY sector
