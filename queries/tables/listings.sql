-- Listings: the first bar of every stock, with the sector, industry and main class of shares that it has now.
--
-- The session of a row is that of the first bar, so that a new listing does not change earlier years. In a market
-- in which no company has an industry, the sector replaces it.
--
-- key:     symbol
-- sorted:  session, symbol
-- column: session  date
-- column: symbol   text
-- column: sector   text?
-- column: industry text?
-- column: cap_counted_in text?
SELECT b.first_bar AS session,
       b.symbol,
       c.sector,
       CASE WHEN COUNT(c.industry) OVER () > 0 THEN c.industry ELSE c.sector END AS industry,
       c.cap_counted_in
FROM   latest_bars b
JOIN   companies c ON c.symbol = b.symbol
ORDER  BY b.first_bar, b.symbol
