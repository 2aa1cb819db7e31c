-- Screen words: what sentences ask of stocks and no other table has, in one row a stock.
--
-- Index members are those of the newest list of each index.
--
-- view:    yes
-- key:     symbol
-- sorted:  symbol
-- optional: fundamentals, index_members, index_lists
-- column: symbol          text
-- column: peg             number? ratio "Price to earnings over profit growth a year over three years, in percent; null where the profit did not grow."
-- column: pct_from_low    number? pct   "Distance of the price from the 52-week low, 0 at the low, positive above it."
-- column: recently_listed bool          "Whether the stock was listed since the files begin, at most 252 bars ago."
-- column: indices         text          "Indices of which the stock is a member, with commas between them."
SELECT b.symbol,
       CASE WHEN f.pat_cagr_3y > 0 THEN f.pe / f.pat_cagr_3y END AS peg,
       100 * b.adj_close / b.wk52_low - 100                      AS pct_from_low,
       b.first_bar > (SELECT MIN(session) FROM sessions) AND b.bar_count <= 252 AS recently_listed,
       COALESCE(i.indices, '') AS indices
FROM   latest_bars b
LEFT   JOIN fundamentals f ON f.symbol = b.symbol
LEFT   JOIN (SELECT m.symbol, string_agg(m.index_name, ', ' ORDER BY m.index_name) AS indices
             FROM   index_members m
             JOIN   index_lists l ON l.index_name = m.index_name AND l.list_date = m.list_date
             GROUP  BY m.symbol) i ON i.symbol = b.symbol
ORDER  BY b.symbol
