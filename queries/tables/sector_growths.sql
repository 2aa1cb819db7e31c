-- Sector growths: the joint gain of the stocks of each sector in a session, from which its index is chained.
--
-- Changes are weighted by the market cap of the bar before; stocks without one are left out of the weighting, as is a class of
-- shares whose market cap is counted in another one, and all count equally on a session on which no stock of the sector has one.
--
-- key:     session, sector
-- sorted:  session, sector
-- split:   year
-- per:     session
-- formula: chain index 2
-- column: session  date
-- column: sector    text
-- column: growth   number factor "Growth of the chained index in the session: 0.01 is one percent."
-- column: stocks_counted int count
-- column: weights_assumed bool
-- also: industry_growths
-- industry-growths-title: Industry growths: the joint gain of the stocks of each industry in a session, from which its index is chained
-- industry-growths-prose: Changes are weighted by the market cap of the bar before; stocks without one are left out of the weighting, as is
-- industry-growths-prose: a class of shares whose market cap is counted in another one, and all count equally on a session on which no
-- industry-growths-prose: stock of the industry has one.
-- industry-growths-names: sector = industry
SELECT i.session,
       l.sector,
       COALESCE(
           SUM(i.market_cap_before * COALESCE(i.bar_change_pct, i.change_pct)) FILTER (WHERE l.cap_counted_in IS NULL)
               / NULLIF(SUM(i.market_cap_before) FILTER (WHERE l.cap_counted_in IS NULL), 0),
           AVG(COALESCE(i.bar_change_pct, i.change_pct))
       ) / 100  AS growth,
       COUNT(*) AS stocks_counted,
       COALESCE(bool_or(i.cap_before_assumed), FALSE) AS weights_assumed
FROM   indicators i
JOIN   listings l ON l.symbol = i.symbol
WHERE  l.sector IS NOT NULL AND COALESCE(i.bar_change_pct, i.change_pct) IS NOT NULL
GROUP  BY i.session, l.sector
ORDER  BY i.session, l.sector
