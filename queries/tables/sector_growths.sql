-- Sector growths: the joint gain of the stocks of each sector in a session, from which its index is chained.
--
-- Changes are weighted by the market cap of the bar before; a stock without one weighs as the median of the sector.
-- A class of shares whose market cap is counted in another one is left out of the weighting, and all count equally on a session on which no stock of the sector has one.
--
-- key:     session, sector
-- sorted:  session, sector
-- split:   year
-- per:     session
-- formula: chain index 3
-- column: session  date
-- column: sector    text
-- column: growth   number factor "Growth of the chained index in the session: 0.01 is one percent."
-- column: stocks_counted int count
-- column: weights_assumed bool
-- also: industry_growths
-- industry-growths-title: Industry growths: the joint gain of the stocks of each industry in a session, from which its index is chained
-- industry-growths-prose: Changes are weighted by the market cap of the bar before; a stock without one weighs as the median of the industry.
-- industry-growths-prose: A class of shares whose market cap is counted in another one is left out of the weighting, and all count equally on a session on which no
-- industry-growths-prose: stock of the industry has one.
-- industry-growths-names: sector = industry
WITH sums AS (
    SELECT i.session,
           l.sector,
           SUM(i.market_cap_before * COALESCE(i.bar_change_pct, i.change_pct)) FILTER (WHERE l.cap_counted_in IS NULL) AS weighted,
           SUM(i.market_cap_before) FILTER (WHERE l.cap_counted_in IS NULL)                AS weight,
           MEDIAN(i.market_cap_before) FILTER (WHERE l.cap_counted_in IS NULL)             AS median_weight,
           SUM(COALESCE(i.bar_change_pct, i.change_pct)) FILTER (WHERE l.cap_counted_in IS NULL AND i.market_cap_before IS NULL) AS unweighted,
           COUNT(*) FILTER (WHERE l.cap_counted_in IS NULL AND i.market_cap_before IS NULL)          AS without_weight,
           AVG(COALESCE(i.bar_change_pct, i.change_pct)) AS mean_change,
           COUNT(*)          AS stocks_counted,
           bool_or(i.cap_before_assumed OR l.cap_counted_in IS NULL AND i.market_cap_before IS NULL) AS is_assumed
    FROM   indicators i
    JOIN   listings l ON l.symbol = i.symbol
    WHERE  l.sector IS NOT NULL AND COALESCE(i.bar_change_pct, i.change_pct) IS NOT NULL
    GROUP  BY i.session, l.sector
)
SELECT session,
       sector,
       COALESCE(
           (weighted + COALESCE(median_weight * unweighted, 0)) / NULLIF(weight + median_weight * without_weight, 0),
           mean_change
       ) / 100 AS growth,
       stocks_counted,
       weight IS NOT NULL AND COALESCE(is_assumed, FALSE) AS weights_assumed
FROM   sums
ORDER  BY session, sector
