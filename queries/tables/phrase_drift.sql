-- Phrase drift: how often management said a phrase on the newest call and on the one before.
--
-- Only companies with two calls have rows; a phrase that was said on neither has none.
--
-- key:     symbol, phrase
-- sorted:  symbol, phrase
-- formula: phrase drift 1
-- column: symbol          text
-- column: phrase          text
-- column: mentions        int count
-- column: mentions_before int count "Times that the phrase was said on the call before."
-- column: mentions_change int count "Mentions on the newest call less those on the call before."
-- column: drift           text "new, rising, steady, falling or gone."
WITH counted AS (
    SELECT p.symbol,
           p.phrase,
           SUM(CASE WHEN h.calls_ago = 0 THEN p.mentions ELSE 0 END) AS mentions,
           SUM(CASE WHEN h.calls_ago = 1 THEN p.mentions ELSE 0 END) AS mentions_before
    FROM   call_phrases p
    JOIN   tone_history h ON h.symbol = p.symbol AND h.period_end = p.period_end
    WHERE  h.calls_ago <= 1
    GROUP  BY p.symbol, p.phrase
)
SELECT c.symbol,
       c.phrase,
       c.mentions,
       c.mentions_before,
       c.mentions - c.mentions_before AS mentions_change,
       CASE
           WHEN c.mentions_before = 0          THEN 'new'
           WHEN c.mentions = 0                 THEN 'gone'
           WHEN c.mentions > c.mentions_before THEN 'rising'
           WHEN c.mentions < c.mentions_before THEN 'falling'
           ELSE 'steady'
       END AS drift
FROM   counted c
JOIN   (SELECT symbol FROM tone_history WHERE calls_ago = 1) two ON two.symbol = c.symbol
WHERE  c.mentions + c.mentions_before > 0
ORDER  BY c.symbol, c.phrase
