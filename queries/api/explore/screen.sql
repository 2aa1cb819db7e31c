-- Explorer: stocks that meet limits, in pages of up to 200, or how many of them each sector, industry, exchange or stage has.
--
-- An operation of the explorer. `offset` leads through all rows, and `X-Total-Count` has their number. With `facet` the answer counts the
-- stocks that meet the limits, the largest count first. A stock without a figure meets no limit on it and is sorted last. Stocks that did
-- not trade in the last five sessions are left out. `explore/screen-file` returns all rows at once.
--
-- tool:   none
-- tier:   premium_web
-- group:  Explorer
-- answer: list
-- own-page: screener sector, industry, min_mcap, max_mcap, max_pe, min_roce, min_roe, min_opm, max_de, min_growth, min_rs, stage, min_score, sort_by, sort_dir
-- param:  sector     text? among sectors.sector "Only this sector; capitals do not matter."
-- param:  industry   text? "Only this industry, spelled as in the rows; capitals matter."
-- param:  min_mcap   number? "Smallest market capitalisation, INR crore." e.g. 100
-- param:  max_mcap   number? "Largest market capitalisation, INR crore."
-- param:  max_pe     number? "Largest price to earnings." e.g. 60
-- param:  min_roce   number? "Smallest return on capital employed, percent."
-- param:  min_roe    number? "Smallest return on equity, percent." e.g. 5
-- param:  min_opm    number? "Smallest operating margin, percent."
-- param:  max_de     number? "Largest debt to equity." e.g. 3
-- param:  min_growth number? "Smallest growth of revenue over a year, percent."
-- param:  min_rs     int? in 1..99 "Smallest relative-strength rating." e.g. 10
-- param:  stage      int? in 1..4  "Only this stage of Weinstein."
-- param:  min_score  number? in 0..10 "Smallest overall score of the scorecard."
-- param:  list       list? in 1..8 own-list "Only the stocks of these lists of yours, names with commas between."
-- own-param: facet      text? in (sector, industry, exchange, stage) "Count the stocks by this instead of listing them."
-- param:  sort_by    text = market_cap in (market_cap, change_pct, pe, pb, roce, roe, de, opm_pct, revenue_growth_1y, pat_growth_1y, rs_rating, pct_from_high, overall_score) "Column to sort by." e.g. roe
-- param:  sort_dir   text = desc in (desc, asc) "The largest first, or the smallest."
-- own-param: limit      int = 50 in 1..200 "Rows to return." e.g. 20
-- own-example: facet=sector&min_rs=50
-- own-column: facet_value text? "The sector, industry, exchange or stage that is counted; null for stocks without a known one."
-- also:   us, explore/screen-file, us/explore/screen-file
-- screen-file-title: Explorer: all stocks that meet limits, in one answer for a file: up to 10,000 rows, as CSV or Arrow
-- screen-file-prose: An operation of the explorer. The limits, the order and the columns are those of `explore/screen`, whose rows come in
-- screen-file-prose: pages; this operation counts as ten requests and has no pages. A stock without a figure meets no limit on it and is
-- screen-file-prose: sorted last. Stocks that did not trade in the last five sessions are left out.
-- screen-file-cost: 10
-- us-names: market_cap_cr = market_cap_b
-- us-param: min_mcap number? "Smallest market capitalisation, USD billion." e.g. 0.1
-- us-param: max_mcap number? "Largest market capitalisation, USD billion."

-- own-when: facet absent
-- own-picture: heat_map title="Stocks that meet the limits" of=symbol size=market_cap_cr:"Market capitalisation" change=change_pct:"Change" group=sector
-- screen-file-when: always
SELECT symbol,
       company_name,
       sector,
       industry,
       exchange,
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
       pct_from_high,
       overall_score,
       ttm_period,
       session
FROM   screen
WHERE  ($list IS NULL OR array_has($list, symbol))
AND    ($sector IS NULL OR sector = $sector)
AND    ($industry IS NULL OR industry = $industry)
AND    ($min_mcap IS NULL OR market_cap_cr >= $min_mcap)
AND    ($max_mcap IS NULL OR market_cap_cr <= $max_mcap)
AND    ($max_pe IS NULL OR pe <= $max_pe)
AND    ($min_roce IS NULL OR roce >= $min_roce)
AND    ($min_roe IS NULL OR roe >= $min_roe)
AND    ($min_opm IS NULL OR opm_pct >= $min_opm)
AND    ($max_de IS NULL OR de <= $max_de)
AND    ($min_growth IS NULL OR revenue_growth_1y >= $min_growth)
AND    ($min_rs IS NULL OR rs_rating >= $min_rs)
AND    ($stage IS NULL OR stage = $stage)
AND    ($min_score IS NULL OR overall_score >= $min_score)
ORDER  BY CASE $sort_dir WHEN 'asc' THEN 1 ELSE -1 END
              * CASE $sort_by
                    WHEN 'change_pct'        THEN change_pct
                    WHEN 'pe'                THEN pe
                    WHEN 'pb'                THEN pb
                    WHEN 'roce'              THEN roce
                    WHEN 'roe'               THEN roe
                    WHEN 'de'                THEN de
                    WHEN 'opm_pct'           THEN opm_pct
                    WHEN 'revenue_growth_1y' THEN revenue_growth_1y
                    WHEN 'pat_growth_1y'     THEN pat_growth_1y
                    WHEN 'rs_rating'         THEN CAST(rs_rating AS DOUBLE)
                    WHEN 'pct_from_high'     THEN pct_from_high
                    WHEN 'overall_score'     THEN overall_score
                    ELSE market_cap_cr
                END NULLS LAST,
          symbol
LIMIT  COALESCE($limit, 10000)

-- own-when: facet present
-- own-picture: ranking title="Stocks that meet the limits" of=facet_value value=stock_count
SELECT CASE $facet
           WHEN 'sector'   THEN sector
           WHEN 'industry' THEN industry
           WHEN 'exchange' THEN exchange
           ELSE CAST(stage AS TEXT)
       END AS facet_value,
       COUNT(*) AS stock_count
FROM   screen
WHERE  ($list IS NULL OR array_has($list, symbol))
AND    ($sector IS NULL OR sector = $sector)
AND    ($industry IS NULL OR industry = $industry)
AND    ($min_mcap IS NULL OR market_cap_cr >= $min_mcap)
AND    ($max_mcap IS NULL OR market_cap_cr <= $max_mcap)
AND    ($max_pe IS NULL OR pe <= $max_pe)
AND    ($min_roce IS NULL OR roce >= $min_roce)
AND    ($min_roe IS NULL OR roe >= $min_roe)
AND    ($min_opm IS NULL OR opm_pct >= $min_opm)
AND    ($max_de IS NULL OR de <= $max_de)
AND    ($min_growth IS NULL OR revenue_growth_1y >= $min_growth)
AND    ($min_rs IS NULL OR rs_rating >= $min_rs)
AND    ($stage IS NULL OR stage = $stage)
AND    ($min_score IS NULL OR overall_score >= $min_score)
GROUP  BY facet_value
ORDER  BY stock_count DESC, facet_value NULLS LAST
LIMIT  $limit
