-- Conditions of the scans, one by one: the figure of each stock, its threshold, and how far the two are apart.
--
-- A scan holds for a stock when the conditions of `every` and all conditions of the scan hold; the conditions of `tradable` decide whether
-- the stock is tradable. A condition whose figure is not known does not hold. Prices and their means are in the shares of today.
--
-- view:    yes
-- key:     symbol, scan, place
-- sorted:  symbol, scan, place
-- optional: scans, stocks, latest_bars
-- column: symbol       text
-- column: scan         text   "Scan of which this is a condition: stage2, nearHigh, highVol, volume, vcp, brs or ipo; every for the conditions of every scan, tradable for those of a tradable stock."
-- column: place        int    "Place of the condition in its scan, from 1."
-- column: condition_name text   "Figure that is compared, or two figures as in close_over_sma_50."
-- column: figure       number? ratio "The stock's figure; yes is 1 and no is 0."
-- column: relation     text   "How the figure must compare with the threshold: at_least, above, at_most or is."
-- column: threshold    number? ratio "Value with which the figure is compared."
-- column: passes       bool   "Whether the condition holds; false if the figure or the threshold is unknown."
-- column: distance_pct number? pct "How far the figure is on the right side of the threshold, in percent of the threshold; negative if it is on the wrong side. Null for a condition of yes or no, and for a threshold of 0."
WITH figures AS (
    SELECT b.*,
           c.is_eligible,
           c.brs,
           c.listed_session
    FROM   scans c
    JOIN   latest_bars b ON b.symbol = c.symbol
),
conditions AS (
    SELECT symbol, 'every' AS scan, 1 AS place, 'traded_in_last_5_sessions' AS condition_name, CAST(is_eligible AS DOUBLE) AS figure, 'is' AS relation, CAST(1 AS DOUBLE) AS threshold FROM figures
    UNION ALL SELECT symbol, 'tradable', 1, 'median_turnover_millions', median_turnover / 1e6, 'at_least', CAST(CASE market() WHEN 'india' THEN 5 ELSE 0.5 END AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'stage2', 1, 'stage', CAST(stage AS DOUBLE), 'is', CAST(2 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'stage2', 2, 'close_over_sma_150', CAST(adj_close AS DOUBLE), 'above', CAST(sma_150 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'stage2', 3, 'close_over_sma_200', CAST(adj_close AS DOUBLE), 'above', CAST(sma_200 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'stage2', 4, 'sma_150_over_sma_200', CAST(sma_150 AS DOUBLE), 'above', CAST(sma_200 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'stage2', 5, 'sma_200_change', CAST(sma_200_change AS DOUBLE), 'above', CAST(0 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'stage2', 6, 'sma_50_over_sma_150', CAST(sma_50 AS DOUBLE), 'above', CAST(sma_150 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'stage2', 7, 'sma_50_over_sma_200', CAST(sma_50 AS DOUBLE), 'above', CAST(sma_200 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'stage2', 8, 'close_over_sma_50', CAST(adj_close AS DOUBLE), 'above', CAST(sma_50 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'nearHigh', 1, 'close_near_52_week_high', CAST(adj_close AS DOUBLE), 'at_least', CAST(0.95 * wk52_high AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'highVol', 1, 'change_pct', CAST(change_pct AS DOUBLE), 'above', CAST(0 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'highVol', 2, 'rvol_20', CAST(rvol_20 AS DOUBLE), 'at_least', CAST(1.5 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'highVol', 3, 'close_over_sma_50', CAST(adj_close AS DOUBLE), 'above', CAST(sma_50 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'volume', 1, 'rvol_20', CAST(rvol_20 AS DOUBLE), 'at_least', CAST(2 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'vcp', 1, 'contraction_pattern', CASE WHEN stage IS NOT NULL THEN CAST(CAST(vcp_pivot IS NOT NULL AS INT) AS DOUBLE) END, 'is', CAST(1 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'vcp', 2, 'close_at_most_5_pct_above_pivot', CAST(adj_close AS DOUBLE), 'at_most', CAST(1.05 * vcp_pivot AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'brs', 1, 'brs', CAST(brs AS DOUBLE), 'at_least', CAST(70 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'ipo', 1, 'listed_since_files_begin', CAST(CAST(listed_session IS NOT NULL AS INT) AS DOUBLE), 'is', CAST(1 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'ipo', 2, 'bars_since_listing', CAST(bar_count AS DOUBLE), 'at_most', CAST(252 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'ipo', 3, 'unexplained_jumps', CAST(price_segment AS DOUBLE), 'is', CAST(0 AS DOUBLE) FROM figures
    UNION ALL SELECT symbol, 'ipo', 4, 'close_near_high_since_listing', CAST(adj_close AS DOUBLE), 'at_least', CAST(0.85 * high_252 AS DOUBLE) FROM figures
)
SELECT symbol,
       scan,
       CAST(place AS BIGINT) AS place,
       condition_name,
       figure,
       relation,
       threshold,
       -- A difference in the last digit of the arithmetic counts as none.
       COALESCE(CASE relation
           WHEN 'at_least' THEN threshold - figure <= 1e-12 * figure
           WHEN 'above'    THEN figure - threshold > 1e-12 * CASE threshold WHEN 0 THEN 100 ELSE threshold END
           WHEN 'at_most'  THEN figure - threshold <= 1e-12 * figure
           ELSE figure = threshold
       END, FALSE) AS passes,
       CASE
           WHEN threshold <> 0 AND relation <> 'is'
               THEN 100 * (figure / threshold - 1) * CASE relation WHEN 'at_most' THEN -1 ELSE 1 END
       END AS distance_pct
FROM   conditions
ORDER  BY symbol, scan, place
