-- US stocks that meet limits on ratios, size, strength and score, at most 50.
--
-- A stock without a figure meets no limit on it and is sorted last. Stocks that did not trade in the last five sessions are left out;
-- those with a median turnover below USD 0.5 million are left out where only stocks that can be traded are asked for.
--
-- tool:   us_screen_stocks
-- tier:   api_pro
-- group:  US Markets
-- answer: list
-- param:  sector       text? among sectors.sector "Only this sector; capitals do not matter."
-- param:  min_mcap_b   number? "Smallest market capitalisation, USD billion." e.g. 1
-- param:  max_mcap_b   number? "Largest market capitalisation, USD billion."
-- param:  max_pe       number? "Largest price to earnings." e.g. 60
-- param:  min_roe      number? "Smallest return on equity, percent." e.g. 5
-- param:  min_opm      number? "Smallest operating margin, percent." e.g. 5
-- param:  max_de       number? "Largest debt to equity." e.g. 3
-- param:  min_rs       int? in 1..99 "Smallest relative-strength rating." e.g. 10
-- param:  above_sma50  int? in 0..1 "1: only stocks above their mean of 50 bars."
-- param:  above_sma200 int? in 0..1 "1: only stocks above their mean of 200 bars."
-- param:  min_score    number? in 0..10 "Smallest overall score of the scorecard."
-- param:  sort_by      text = rs_rating in (rs_rating, market_cap_b, roe, opm_pct, overall_score) "Column to sort by, the largest first." e.g. roe
-- param:  liquidity    text = all in (tradable, all) "Only stocks that can be traded, or all." e.g. all
-- param:  explain  list? of companies.symbol "Symbols with commas between: their conditions instead of the list."
-- column: liquidity       text   "Which stocks are listed: tradable or all."
-- column: in_screen       bool   "Whether the stock meets all limits that were asked."
-- column: passed_count    int count "Conditions that hold."
-- column: condition_count int count "Conditions there are."
-- column: conditions      rows?  "Each condition with the figure of the stock; in a scan, those of `every` and `tradable` are asked of all."

-- when: explain absent
-- picture: heat_map title="Screen" of=symbol size=market_cap_b:"Market capitalisation" change=change_pct:"Change" group=sector
SELECT symbol,
       company_name,
       sector,
       industry,
       market_cap_b,
       market_cap_assumed,
       price_cmp,
       change_pct,
       pe,
       pb,
       roce,
       roe,
       de,
       opm_pct,
       fcf_yield,
       revenue_growth_1y,
       pat_growth_1y,
       rs_rating,
       stage,
       sma_50,
       sma_200,
       overall_score,
       ttm_period,
       session,
       CASE $liquidity WHEN 'all' THEN 'all' ELSE 'tradable' END AS liquidity
FROM   screen
WHERE  ($liquidity = 'all' OR symbol IN (SELECT symbol FROM stocks WHERE is_tradable))
AND    ($sector IS NULL OR sector = $sector)
AND    ($min_mcap_b IS NULL OR market_cap_b >= $min_mcap_b)
AND    ($max_mcap_b IS NULL OR market_cap_b <= $max_mcap_b)
AND    ($max_pe IS NULL OR pe <= $max_pe)
AND    ($min_roe IS NULL OR roe >= $min_roe)
AND    ($min_opm IS NULL OR opm_pct >= $min_opm)
AND    ($max_de IS NULL OR de <= $max_de)
AND    ($min_rs IS NULL OR rs_rating >= $min_rs)
AND    ($above_sma50 IS NULL OR $above_sma50 = 0 OR price_cmp > sma_50)
AND    ($above_sma200 IS NULL OR $above_sma200 = 0 OR price_cmp > sma_200)
AND    ($min_score IS NULL OR overall_score >= $min_score)
ORDER  BY CASE $sort_by
              WHEN 'market_cap_b'  THEN market_cap_b
              WHEN 'roe'           THEN roe
              WHEN 'opm_pct'       THEN opm_pct
              WHEN 'overall_score' THEN overall_score
              ELSE CAST(rs_rating AS DOUBLE)
          END DESC NULLS LAST,
          symbol
LIMIT  50

-- when: explain present
WITH asked AS (
    SELECT o.symbol,
           o.company_name,
           s.symbol IS NOT NULL AS is_screened,
           s.sector,
           s.industry,
           s.market_cap_b,
           s.pe,
           s.roe,
           s.opm_pct,
           s.de,
           s.rs_rating,
           s.price_cmp,
           s.sma_50,
           s.sma_200,
           s.overall_score,
           k.median_turnover_usd_m
    FROM   companies o
    LEFT   JOIN screen s ON s.symbol = o.symbol
    LEFT   JOIN stocks k ON k.symbol = o.symbol
    WHERE  array_has($explain, o.symbol)
),
conditions AS (
    SELECT symbol, 1 AS place, 'traded_in_last_5_sessions' AS condition_name, CAST(is_screened AS DOUBLE) AS figure, 'is' AS relation, CAST(1 AS DOUBLE) AS threshold FROM asked
    UNION ALL
    SELECT symbol, 2, 'min_mcap_b', CAST(market_cap_b AS DOUBLE), 'at_least', CAST($min_mcap_b AS DOUBLE) FROM asked WHERE $min_mcap_b IS NOT NULL
    UNION ALL
    SELECT symbol, 3, 'max_mcap_b', CAST(market_cap_b AS DOUBLE), 'at_most', CAST($max_mcap_b AS DOUBLE) FROM asked WHERE $max_mcap_b IS NOT NULL
    UNION ALL
    SELECT symbol, 4, 'max_pe', CAST(pe AS DOUBLE), 'at_most', CAST($max_pe AS DOUBLE) FROM asked WHERE $max_pe IS NOT NULL
    UNION ALL
    SELECT symbol, 5, 'min_roe', CAST(roe AS DOUBLE), 'at_least', CAST($min_roe AS DOUBLE) FROM asked WHERE $min_roe IS NOT NULL
    UNION ALL
    SELECT symbol, 6, 'min_opm', CAST(opm_pct AS DOUBLE), 'at_least', CAST($min_opm AS DOUBLE) FROM asked WHERE $min_opm IS NOT NULL
    UNION ALL
    SELECT symbol, 7, 'max_de', CAST(de AS DOUBLE), 'at_most', CAST($max_de AS DOUBLE) FROM asked WHERE $max_de IS NOT NULL
    UNION ALL
    SELECT symbol, 8, 'min_rs', CAST(rs_rating AS DOUBLE), 'at_least', CAST($min_rs AS DOUBLE) FROM asked WHERE $min_rs IS NOT NULL
    UNION ALL
    SELECT symbol, 9, 'above_sma50', CAST(price_cmp AS DOUBLE), 'above', sma_50 FROM asked WHERE $above_sma50 = 1
    UNION ALL
    SELECT symbol, 10, 'above_sma200', CAST(price_cmp AS DOUBLE), 'above', sma_200 FROM asked WHERE $above_sma200 = 1
    UNION ALL
    SELECT symbol, 11, 'min_score', CAST(overall_score AS DOUBLE), 'at_least', CAST($min_score AS DOUBLE) FROM asked WHERE $min_score IS NOT NULL
    UNION ALL
    SELECT symbol, 12, 'sector', CAST(sector = $sector AS DOUBLE), 'is', 1 FROM asked WHERE $sector IS NOT NULL
    UNION ALL
    SELECT symbol, 13, 'median_turnover_usd_m', CAST(median_turnover_usd_m AS DOUBLE), 'at_least', CAST(0.5 AS DOUBLE) FROM asked WHERE $liquidity = 'tradable'
),
held AS (
    SELECT *,
           COALESCE(CASE relation
               WHEN 'at_least' THEN figure >= threshold
               WHEN 'above'    THEN figure > threshold
               WHEN 'at_most'  THEN figure <= threshold
               ELSE figure = threshold
           END, FALSE) AS passes,
           CASE
               WHEN threshold <> 0 AND relation <> 'is'
                   THEN 100 * (figure / threshold - 1) * CASE relation WHEN 'at_most' THEN -1 ELSE 1 END
           END AS distance_pct
    FROM   conditions
),
explained AS (
    SELECT symbol,
           bool_and(passes)               AS in_screen,
           COUNT(*) FILTER (WHERE passes) AS passed_count,
           COUNT(*)                       AS condition_count,
           array_agg(named_struct(
               'condition_name', condition_name,
               'figure', figure,
               'relation', relation,
               'threshold', threshold,
               'passes', passes,
               'distance_pct', distance_pct
           ) ORDER BY place) AS conditions
    FROM   held
    GROUP  BY symbol
)
SELECT a.symbol,
       a.company_name,
       a.sector,
       a.industry,
       x.in_screen,
       x.passed_count,
       x.condition_count,
       x.conditions
FROM   asked a
JOIN   explained x ON x.symbol = a.symbol
ORDER  BY a.symbol
