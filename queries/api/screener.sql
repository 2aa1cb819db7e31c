-- Stocks that meet limits on ratios, size and strength, at most 50.
--
-- A stock without a figure meets no limit on it and is sorted last. Stocks that did not trade in the last five sessions are left out;
-- those with a median turnover below INR 0.5 crore are left out if the call asks for tradable stocks only.
--
-- tool:   screen_stocks
-- tier:   api_max
-- group:  Core
-- answer: list
-- page:   screener
-- india-param: min_roce number? "Smallest return on capital employed, percent." e.g. 5
-- india-param: max_pe   number? "Largest price to earnings." e.g. 60
-- us-param: sector       text? among sectors.sector "Only this sector; capitals do not matter."
-- param:  min_mcap number? "Smallest market capitalisation, INR crore." e.g. 100
-- param:  max_mcap number? "Largest market capitalisation, INR crore."
-- us-param: max_pe       number? "Largest price to earnings." e.g. 60
-- param:  min_roe  number? "Smallest return on equity, percent." e.g. 5
-- us-param: min_opm      number? "Smallest operating margin, percent." e.g. 5
-- param:  max_de   number? "Largest debt to equity." e.g. 2
-- param:  min_rs   int? in 1..99 "Smallest relative-strength rating." e.g. 10
-- india-param: sector   text? among sectors.sector "Only this sector; capitals do not matter."
-- india-param: industry text? among industry_stages.industry "Only this industry; capitals do not matter."
-- us-param: above_sma50  int? in 0..1 "1: only stocks above their mean of 50 bars."
-- us-param: above_sma200 int? in 0..1 "1: only stocks above their mean of 200 bars."
-- us-param: min_score    number? in 0..10 "Smallest overall score of the scorecard."
-- param:  sort_by  text? in (market_cap_cr, rs_rating, roce, roe, opm_pct) "Column to sort by; if omitted, the market capitalisation." e.g. roce
-- india-param: sort_dir text? in (desc, asc) "Order; if omitted, the largest first." e.g. desc
-- param:  liquidity text = all in (tradable, all) "Only stocks that can be traded, or all." e.g. all
-- param:  explain  list? of companies.symbol "Symbols with commas between: their conditions instead of the list."
-- column: liquidity       text   "Which stocks are listed: tradable or all."
-- column: in_screen       bool   "Whether the stock meets all requested limits."
-- column: passed_count    int count "Conditions that hold."
-- column: condition_count int count "Conditions there are."
-- column: conditions      rows?  "Each condition with the figure of the stock; in a scan, those of `every` and `tradable` apply to all."
-- also: us
-- us-title: US stocks that meet limits on ratios, size, strength and score, at most 50
-- us-prose: A stock without a figure meets no limit on it and is sorted last. Stocks that did not trade in the last five sessions are left
-- us-prose: out; those with a median turnover below USD 0.5 million are left out if the call asks for tradable stocks only.
-- us-names: market_cap_cr = market_cap_b, min_mcap = min_mcap_b, max_mcap = max_mcap_b, median_turnover_cr = median_turnover_usd_m
-- us-tool: us_screen_stocks
-- us-tier: api_pro
-- us-group: US Markets
-- us-param: min_mcap_b   number? "Smallest market capitalisation, USD billion." e.g. 1
-- us-param: max_mcap_b   number? "Largest market capitalisation, USD billion."
-- us-param: max_de       number? "Largest debt to equity." e.g. 3
-- us-param: sort_by      text = rs_rating in (rs_rating, market_cap_b, roe, opm_pct, overall_score) "Column to sort by, the largest first." e.g. roe

-- when: explain absent
-- india-omit: sma_50, sma_200
-- picture: heat_map title="Screen" of=symbol size=market_cap_cr:"Market capitalisation" change=change_pct:"Change" group=sector
SELECT symbol,
       company_name,
       sector,
       industry,
       market_cap_cr,
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
AND    ($min_roce IS NULL OR roce >= $min_roce)
AND    ($max_pe IS NULL OR pe <= $max_pe)
AND    ($min_mcap IS NULL OR market_cap_cr >= $min_mcap)
AND    ($max_mcap IS NULL OR market_cap_cr <= $max_mcap)
AND    ($min_roe IS NULL OR roe >= $min_roe)
AND    ($min_opm IS NULL OR opm_pct >= $min_opm)
AND    ($max_de IS NULL OR de <= $max_de)
AND    ($min_rs IS NULL OR rs_rating >= $min_rs)
AND    ($sector IS NULL OR sector = $sector)
AND    ($industry IS NULL OR industry = $industry)
AND    ($above_sma50 IS NULL OR $above_sma50 = 0 OR price_cmp > sma_50)
AND    ($above_sma200 IS NULL OR $above_sma200 = 0 OR price_cmp > sma_200)
AND    ($min_score IS NULL OR overall_score >= $min_score)
ORDER  BY CASE $sort_dir WHEN 'asc' THEN 1 ELSE -1 END
              * CASE $sort_by
                    WHEN 'rs_rating'     THEN CAST(rs_rating AS DOUBLE)
                    WHEN 'roce'          THEN roce
                    WHEN 'roe'           THEN roe
                    WHEN 'opm_pct'       THEN opm_pct
                    WHEN 'overall_score' THEN overall_score
                    ELSE market_cap_cr
                END NULLS LAST,
          symbol
LIMIT  50

-- when: explain present
WITH explained_stocks AS (
    SELECT o.symbol,
           o.company_name,
           s.symbol IS NOT NULL AS is_screened,
           s.sector,
           s.industry,
           s.price_cmp,
           s.market_cap_cr,
           s.pe,
           s.roce,
           s.roe,
           s.opm_pct,
           s.de,
           s.rs_rating,
           s.sma_50,
           s.sma_200,
           s.overall_score,
           k.median_turnover_cr
    FROM   companies o
    LEFT   JOIN screen s ON s.symbol = o.symbol
    LEFT   JOIN stocks k ON k.symbol = o.symbol
    WHERE  array_has($explain, o.symbol)
),
conditions AS (
    SELECT symbol, 1 AS place, 'traded_in_last_5_sessions' AS condition_name, CAST(is_screened AS DOUBLE) AS figure, 'is' AS relation, CAST(1 AS DOUBLE) AS threshold FROM explained_stocks
    UNION ALL SELECT symbol, 2, 'min_roce', CAST(roce AS DOUBLE), 'at_least', CAST($min_roce AS DOUBLE) FROM explained_stocks WHERE $min_roce IS NOT NULL
    UNION ALL SELECT symbol, CASE WHEN market() = 'us' THEN 6 ELSE 3 END, 'max_pe', CAST(pe AS DOUBLE), 'at_most', CAST($max_pe AS DOUBLE) FROM explained_stocks WHERE $max_pe IS NOT NULL
    UNION ALL SELECT symbol, 4, CASE WHEN market() = 'us' THEN 'min_mcap_b' ELSE 'min_mcap' END, CAST(market_cap_cr AS DOUBLE), 'at_least', CAST($min_mcap AS DOUBLE) FROM explained_stocks WHERE $min_mcap IS NOT NULL
    UNION ALL SELECT symbol, 5, CASE WHEN market() = 'us' THEN 'max_mcap_b' ELSE 'max_mcap' END, CAST(market_cap_cr AS DOUBLE), 'at_most', CAST($max_mcap AS DOUBLE) FROM explained_stocks WHERE $max_mcap IS NOT NULL
    UNION ALL SELECT symbol, 7, 'min_roe', CAST(roe AS DOUBLE), 'at_least', CAST($min_roe AS DOUBLE) FROM explained_stocks WHERE $min_roe IS NOT NULL
    UNION ALL SELECT symbol, 8, 'min_opm', CAST(opm_pct AS DOUBLE), 'at_least', CAST($min_opm AS DOUBLE) FROM explained_stocks WHERE $min_opm IS NOT NULL
    UNION ALL SELECT symbol, 9, 'max_de', CAST(de AS DOUBLE), 'at_most', CAST($max_de AS DOUBLE) FROM explained_stocks WHERE $max_de IS NOT NULL
    UNION ALL SELECT symbol, 10, 'min_rs', CAST(rs_rating AS DOUBLE), 'at_least', CAST($min_rs AS DOUBLE) FROM explained_stocks WHERE $min_rs IS NOT NULL
    UNION ALL SELECT symbol, 11, 'above_sma50', CAST(price_cmp AS DOUBLE), 'above', sma_50 FROM explained_stocks WHERE $above_sma50 = 1
    UNION ALL SELECT symbol, 12, 'above_sma200', CAST(price_cmp AS DOUBLE), 'above', sma_200 FROM explained_stocks WHERE $above_sma200 = 1
    UNION ALL SELECT symbol, 13, 'min_score', CAST(overall_score AS DOUBLE), 'at_least', CAST($min_score AS DOUBLE) FROM explained_stocks WHERE $min_score IS NOT NULL
    UNION ALL SELECT symbol, 14, 'sector', CAST(sector = $sector AS DOUBLE), 'is', 1 FROM explained_stocks WHERE $sector IS NOT NULL
    UNION ALL SELECT symbol, 15, 'industry', CAST(industry = $industry AS DOUBLE), 'is', 1 FROM explained_stocks WHERE $industry IS NOT NULL
    UNION ALL SELECT symbol, 16, CASE WHEN market() = 'us' THEN 'median_turnover_usd_m' ELSE 'median_turnover_cr' END, CAST(median_turnover_cr AS DOUBLE), 'at_least', CAST(0.5 AS DOUBLE) FROM explained_stocks WHERE $liquidity = 'tradable'
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
FROM   explained_stocks a
JOIN   explained x ON x.symbol = a.symbol
ORDER  BY a.symbol
