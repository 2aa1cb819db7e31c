-- The drawings of the caller on the chart of a stock: levels and trend lines.
--
-- A drawing is stored in the shares of the session on which it was drawn. Here its prices are in the shares of the market's last session,
-- as those of the chart are: splits and bonuses since then are taken into account.
--
-- tool:   none
-- tier:   free
-- group:  Lists
-- answer: list
-- run:    drawings
-- param:  symbol text "Symbol of the stock." e.g. BAXIPAPOWR
-- param:  market text = india in (india, us) "The market of the stock."
-- column: symbol            text  "Symbol of the stock."
-- column: market            text  "The market."
-- column: as_of             date? "The market's last session; prices are in its shares."
-- column: drawings          rows  "One entry for each drawing, in the order in which they were made."
-- column: drawings.number   int   "Number of the drawing, among those of the stock."
-- column: drawings.kind     text  "level or trend."
-- column: drawings.day      date  "Day of the first point; of a level, the day on which it was set."
-- column: drawings.price    number price "Price of the first point, or of the level."
-- column: drawings.day_2    date? "Day of the second point; null for a level."
-- column: drawings.price_2  number? price "Price of the second point; null for a level."
-- column: drawings.pct_from_close number? pct "Distance of a level from the last close; null for a trend line."
-- column: drawings.drawn_on date  "The session in whose shares the drawing is stored."
-- column: count             int   "Number of entries."
WITH bars AS (
    SELECT session,
           cumulative_split_factor,
           LAG(cumulative_split_factor) OVER (ORDER BY session) AS factor_before
    FROM   daily_prices
    WHERE  symbol = $symbol
)
SELECT b.session,
       b.cumulative_split_factor / n.cumulative_split_factor_now AS factor,
       n.adj_close AS close
FROM   bars b
JOIN   latest_bars n ON n.symbol = $symbol
WHERE  b.factor_before IS NULL
OR     b.factor_before <> b.cumulative_split_factor
ORDER  BY b.session
