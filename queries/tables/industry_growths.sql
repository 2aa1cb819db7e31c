-- Industry growths: the joint gain of the stocks of each industry in a session, from which its index is chained.
--
-- Changes are weighted by the market cap of the bar before; stocks without one are left out of the weighting, as is a class of
-- shares whose market cap is counted in another one, and all count equally on a session on which no stock of the industry has one.
--
-- key:     session, industry
-- sorted:  session, industry
-- split:   year
-- per:     session
-- formula: chain index 2
-- column: session  date
-- column: industry  text
-- column: growth   number factor "Growth of the chained index in the session: 0.01 is one percent."
-- column: stocks_counted int count
-- column: weights_assumed bool
SELECT i.session,
       l.industry,
       COALESCE(
           SUM(i.market_cap_before * i.change_pct) FILTER (WHERE l.cap_counted_in IS NULL)
               / NULLIF(SUM(i.market_cap_before) FILTER (WHERE l.cap_counted_in IS NULL), 0),
           AVG(i.change_pct)
       ) / 100  AS growth,
       COUNT(*) AS stocks_counted,
       COALESCE(bool_or(i.cap_before_assumed), FALSE) AS weights_assumed
FROM   indicators i
JOIN   listings l ON l.symbol = i.symbol
WHERE  l.industry IS NOT NULL AND i.change_pct IS NOT NULL
GROUP  BY i.session, l.industry
ORDER  BY i.session, l.industry
