-- Stocks that a sentence describes, with the criteria that it was read as.
--
-- The sentence becomes a tree of conditions over the screener's own fields, which is checked, run and shown under `criteria`; of a sentence
-- that was not understood whole no stock is listed, only what was and was not understood. A language model reads it where the operator has
-- configured one, else a grammar of our own; `read_by` says which. Figures that are not known meet no condition. Every stock that traded in
-- the last five sessions is looked at, unless the sentence asks for those that can be traded: `liquidity` and `words` say which.
--
-- own-india-tool:  screen_natural_language
-- own-us-tool:     us_screen_natural_language
-- own-tier:        api_max
-- own-india-group: MCP only
-- own-us-group:    US Markets
-- own-india-route: none
-- own-answer: list
-- optional: fundamentals, scorecards, scans, scan_spells, index_members, index_lists, earnings, statements, insider_trades, order_wins, bars_before, session_prices
-- india-optional: latest_pledges, pledges, shareholding, banking_kpis
-- own-run: natural_language
-- own-india-param: query text in 1..200 "What is looked for, in plain English." e.g. midcap pharma with ROE above 15, strongest RS first
-- own-us-param:    query text in 1..200 "What is looked for, in plain English." e.g. technology stocks with ROE above 15 and low debt, strongest RS first
-- own-param: limit int = 20 in 1..50 "Rows to return." e.g. 5
-- own-constraint: Something in `query` is understood: a figure, a sector, an industry, an index, a size, a scan or an order.
-- own-column: query          text  "The sentence."
-- own-column: criteria       row   "The tree of conditions that it was read as."
-- own-column: words          text  "The conditions in words, and among which stocks."
-- own-column: liquidity      text  "Which stocks the sentence asks for: tradable or all."
-- own-column: sorted_by      text  "The field the rows are sorted by, and the direction."
-- own-column: read_by        text  "grammar or model."
-- own-column: not_understood texts "Words that carry a meaning and were not understood."
-- own-column: notes          texts "How words without a number were taken, and why no stock is listed where something was not understood."
-- own-column: funnel         rows  "How many stocks are left after each condition, where none is left in the end; empty otherwise."
-- own-column: funnel.condition text "The condition in words."
-- own-column: funnel.left    int count "Stocks that meet it and those before it."
-- own-column: stocks         rows  "The stocks; figures of the bar before, changes of holdings and the like only where the sentence asks for them."
-- own-column: count          int count "Stocks that are returned."
-- own-column: total          int   "Stocks that meet the criteria."
-- own-us-title: US stocks that a sentence describes, with the criteria that it was read as
-- us-names: market_cap_cr = market_cap_b
-- also: us, explore/screen-words, us/explore/screen-words
-- explore-title: Explorer: stocks that a sentence and limits describe, with each condition, counts, and what each condition costs
-- explore-prose: An operation of the explorer. The sentence is read by the grammar, never by a language model; limits narrow what it describes.
-- explore-prose: Every condition has its own entry under `conditions`. Where at most 20 stocks match, each also has the number of stocks that
-- explore-prose: match without it. `facets` counts the stocks of each sector, industry, stage and size (`cap`) that meet all other conditions.
-- explore-prose: Of a sentence that was not understood whole no stock is listed. A stock without a figure meets no condition on it and is
-- explore-prose: sorted last. Stocks that did not trade in the last five sessions are left out.
-- explore-tool:   none
-- explore-tier:   premium_web
-- explore-group:  Explorer
-- explore-answer: stocks
-- explore-run:    screen_words
-- explore-wrap:   query = $query
-- explore-wrap:   words = made
-- explore-wrap:   sorted_by = made
-- explore-wrap:   not_understood = made
-- explore-wrap:   notes = made
-- explore-wrap:   conditions = made
-- explore-wrap:   facets = made
-- explore-wrap:   funnel = made
-- explore-wrap:   histograms = made
-- explore-constraint: `second_formula` is given only with `formula`, and `third_formula` only with `second_formula`.
-- explore-constraint: Each place in `without` and `figures` is that of a condition of `query`; for `figures`, of one with a single figure.
-- explore-column: words          text  "The conditions in words."
-- explore-column: sorted_by      text  "The field the rows are sorted by, and the direction."
-- explore-column: not_understood texts "Words of the sentence that carry a meaning and were not understood; no stock is listed then."
-- explore-column: notes          texts "How words without a number were taken, and why no stock is listed where something was not understood."
-- explore-column: conditions     rows  "The conditions: of the sentence in their order, then of the limits."
-- explore-column: conditions.condition text "The condition in words."
-- explore-column: conditions.place     int? "Its place in the sentence, which `without` names; null for a limit."
-- explore-column: conditions.limited_by text? "The parameter that asks for it; null for one of the sentence."
-- explore-column: conditions.figure    number? "Its figure, where `figures` or its parameter replaces it; null otherwise."
-- explore-column: conditions.fields    texts "The fields that it reads."
-- explore-column: conditions.is_left_out bool "Whether `without` leaves it out."
-- explore-column: conditions.without_it int? count "Stocks that match without it, where at most 20 match with it; null otherwise."
-- explore-column: facets         rows  "Counts of stocks that meet all conditions but the one of the same parameter, the largest first."
-- explore-column: facets.facet   text  "The parameter that keeps the value: sector, industry, stage or cap."
-- explore-column: facets.facet_value text "The value."
-- explore-column: facets.stock_count int count "Stocks with this value."
-- explore-column: funnel         rows  "How many stocks are left after each condition, where none is left in the end; empty otherwise."
-- explore-column: funnel.condition text "The condition in words."
-- explore-column: funnel.left    int count "Stocks that meet it and those before it."
-- explore-column: formula         number? "The value of the formula; null where a figure is unknown, and for a division by zero."
-- explore-column: second_formula       number? "The value of the second formula, likewise."
-- explore-column: third_formula       number? "The value of the third formula, likewise."
-- explore-column: histograms      rows  "With `histograms=true`, the figures that each condition limits, in bars of the same width, among the stocks that meet all other conditions. The first and the last bar count those beyond, too."
-- explore-column: histograms.of_condition int "The number of the condition under `conditions`, from 1."
-- explore-column: histograms.bar_from number "The smallest figure of the bar."
-- explore-column: histograms.bar_to   number "The figure at which the next bar begins."
-- explore-column: histograms.stock_count int count "Stocks in the bar."
-- explore-column: histograms.is_within bool "Whether the middle of the bar meets the condition."
-- explore-column: volume          number shares "Shares traded, adjusted."
-- explore-column: rs_change_63    int? points "RS rating less that of 63 sessions before."
-- explore-column: return_ytd      number? pct "Return of this calendar year so far (YTD): since the last session of the year before; null for a second or later price segment of less than 252 bars."
-- explore-column: days_in_scan    int? count "Sessions without a break in the scan, or where none is named in that in which the stock is longest; 63 means 63 or more."
-- explore-column: debt_change_yoy number? pct "Change of the total debt against the same quarter of the year before."
-- explore-column: days_to_results int? count "Calendar days until the next results are expected, 364 days after those of the same quarter of the year before; negative where they are late."
-- explore-column: eps_growth_1y   number? pct "Growth of diluted earnings a share over the last fiscal year."
-- explore-column: eps_cagr_3y     number? pct "Growth of diluted earnings a share a year over three fiscal years."
-- explore-column: eps_cagr_5y     number? pct "Growth of diluted earnings a share a year over five fiscal years."
-- explore-column: rs_rating_before int? rating "RS rating of the session before."
-- explore-column: insider_bought  bool? "Whether a purchase of an insider was disclosed in the last 90 days; null where the market has no such disclosures."
-- explore-column: insider_sold    bool? "Whether a sale of an insider was disclosed in the last 90 days."
-- explore-column: won_order       bool? "Whether an order was reported in the last 90 days; null where the market has no such reports."
-- explore-column: reported_this_season bool? "Whether the newest results are of the newest quarter with a score; null without results."
-- explore-india-column: promoter_change number? points "Promoters' share less that of the quarter before."
-- explore-india-column: fii_change number? points "Foreign institutions' share less that of the quarter before."
-- explore-india-column: dii_change number? points "Domestic institutions' share less that of the quarter before."
-- explore-india-column: mutual_fund_change number? points "Mutual funds' share less that of the quarter before."
-- explore-india-column: pledge_change number? points "Pledged part of the promoters' shares less that of the quarter before."
-- explore-india-param: query text? in 1..200 "What is looked for, in plain English." e.g. stocks with RS above 20, by ROE
-- explore-us-param:    query text? in 1..200 "What is looked for, in plain English." e.g. stocks with RS above 20, by ROE
-- explore-param: list         list? in 1..8 own-list "Only the stocks of these lists of yours, names with commas between."
-- explore-param: without      list? in 1..40 "Places of conditions of the sentence that are left out, from 1, with commas between them."
-- explore-param: figures      list? in 1..40 "Figures in place of those in the sentence: the place of the condition, a colon and the figure; with commas between them."
-- explore-param: sector       text? among sectors.sector "Only this sector; capitals do not matter."
-- explore-param: industry     text? in 1..100 "Only this industry; capitals do not matter."
-- explore-param: cap          text? in (large, mid, small, micro) "Only companies of this size, as a sentence means it by `large cap` and the like."
-- explore-param: stage        int? in 1..4 "Only this stage of Weinstein."
-- explore-param: liquidity    text = all in (all, tradable) "Only stocks that can be traded, or all."
-- explore-india-param: min_mcap number? "Smallest market capitalisation, INR crore." e.g. 100
-- explore-india-param: max_mcap number? "Largest market capitalisation, INR crore."
-- explore-us-param:    min_mcap number? "Smallest market capitalisation, USD billion." e.g. 0.1
-- explore-us-param:    max_mcap number? "Largest market capitalisation, USD billion."
-- explore-param: min_price     number? "Lowest price, in the money of the market."
-- explore-param: max_price     number? "Highest price, in the money of the market."
-- explore-param: min_rs        int? in 1..99 "Smallest relative-strength rating." e.g. 10
-- explore-param: max_rs        int? in 1..99 "Largest relative-strength rating."
-- explore-param: min_pe        number? "Smallest price to earnings."
-- explore-param: max_pe        number? "Largest price to earnings." e.g. 60
-- explore-param: min_roe       number? "Smallest return on equity, percent." e.g. 5
-- explore-param: max_roe       number? "Largest return on equity, percent."
-- explore-param: min_roce      number? "Smallest return on capital employed, percent."
-- explore-param: max_roce      number? "Largest return on capital employed, percent."
-- explore-param: min_de        number? "Smallest debt to equity."
-- explore-param: max_de        number? "Largest debt to equity." e.g. 3
-- explore-param: min_opm       number? "Smallest operating margin, percent."
-- explore-param: max_opm       number? "Largest operating margin, percent."
-- explore-param: min_growth    number? "Smallest growth of revenue over a year, percent."
-- explore-param: max_growth    number? "Largest growth of revenue over a year, percent."
-- explore-param: min_rsi       number? in 0..100 "Smallest RSI over 14 bars."
-- explore-param: max_rsi       number? in 0..100 "Largest RSI over 14 bars."
-- explore-param: min_from_high number? in -100..0 "Smallest distance from the 52-week high, percent: -10 is at most 10 percent below it."
-- explore-param: max_from_high number? in -100..0 "Largest distance from the 52-week high, percent."
-- explore-param: min_score     number? in 0..10 "Smallest overall score of the scorecard."
-- explore-param: max_score     number? in 0..10 "Largest overall score of the scorecard."
-- explore-param: formula  text? in 1..200 "A column of the caller's own, `formula`: figures of the stock by their columns, joined by + - * / and parentheses; null where one is unknown, and for a division by zero. A name and `=` may be in front: pages show it above the column." e.g. roce - pe
-- explore-param: second_formula text? in 1..200 "A second column like `formula`, which it needs."
-- explore-param: third_formula text? in 1..200 "A third column like `second_formula`, which it needs."
-- explore-param: sort_by  text? in (market_cap, price_cmp, change_pct, pe, pb, roce, roe, de, opm_pct, fcf_yield, dividend_yield, revenue_growth_1y, pat_growth_1y, rs_rating, rs_trend_30d, rsi_14, rvol_20, pct_from_high, overall_score, formula, second_formula, third_formula) "Column to sort by; if omitted, the order of the sentence, and without one the market capitalisation." e.g. roe
-- explore-param: sort_dir text = desc in (desc, asc) "The largest first, or the smallest."
-- explore-param: histograms bool = false "Whether the figures of conditions come as histograms."  e.g. true
-- explore-param: limit    int = 50 in 1..5000 "Rows to return." e.g. 20

-- own-when: always
-- india-omit: formula, second_formula, third_formula
-- us-omit: formula, second_formula, third_formula, pledge_pct, pledge_change, promoter_pct, fii_pct, dii_pct, mutual_fund_pct, turnover_cr, delivery_pct, promoter_change, fii_change, dii_change, mutual_fund_change, gnpa_pct, nnpa_pct, nim_pct, casa_pct, credit_growth_pct, deposit_growth_pct
-- explore-when: formula absent
-- india-omit: formula, second_formula, third_formula
-- us-omit: formula, second_formula, third_formula, pledge_pct, pledge_change, promoter_pct, fii_pct, dii_pct, mutual_fund_pct, turnover_cr, delivery_pct, promoter_change, fii_change, dii_change, mutual_fund_change, gnpa_pct, nnpa_pct, nim_pct, casa_pct, credit_growth_pct, deposit_growth_pct
-- explore-when: second_formula absent
-- india-omit: second_formula, third_formula
-- us-omit: second_formula, third_formula, pledge_pct, pledge_change, promoter_pct, fii_pct, dii_pct, mutual_fund_pct, turnover_cr, delivery_pct, promoter_change, fii_change, dii_change, mutual_fund_change, gnpa_pct, nnpa_pct, nim_pct, casa_pct, credit_growth_pct, deposit_growth_pct
-- explore-when: third_formula absent
-- india-omit: third_formula
-- us-omit: third_formula, pledge_pct, pledge_change, promoter_pct, fii_pct, dii_pct, mutual_fund_pct, turnover_cr, delivery_pct, promoter_change, fii_change, dii_change, mutual_fund_change, gnpa_pct, nnpa_pct, nim_pct, casa_pct, credit_growth_pct, deposit_growth_pct
-- explore-when: third_formula present
-- us-omit: pledge_pct, pledge_change, promoter_pct, fii_pct, dii_pct, mutual_fund_pct, turnover_cr, delivery_pct, promoter_change, fii_change, dii_change, mutual_fund_change, gnpa_pct, nnpa_pct, nim_pct, casa_pct, credit_growth_pct, deposit_growth_pct
SELECT s.symbol,
       s.company_name,
       s.sector,
       s.industry,
       s.exchange,
       s.market_cap_cr,
       s.market_cap_assumed,
       s.price_cmp,
       s.change_pct,
       s.pe,
       s.pb,
       f.ps,
       w.peg,
       f.eps_ttm,
       s.ev_ebitda,
       s.roce,
       s.roe,
       f.roa,
       s.de,
       f.current_ratio,
       f.interest_cover,
       s.opm_pct,
       f.gross_margin_pct,
       f.net_margin_pct,
       s.fcf_yield,
       s.dividend_yield,
       s.revenue_growth_1y,
       f.revenue_cagr_3y,
       s.revenue_cagr_5y,
       s.pat_growth_1y,
       f.pat_cagr_3y,
       s.pat_cagr_5y,
       f.profitable_years_10y,
       s.altman_z_score,
       f.altman_zone,
       s.piotroski_f,
       p.pledge_pct,
       pc.pledge_change,
       h.promoter_pct,
       h.fii_pct,
       h.dii_pct,
       h.mutual_fund_pct,
       s.rs_rating,
       s.rs_rank,
       k.rs_trend_30d,
       s.rs_rating - r.rs_rating AS rs_change_63,
       e.margin_change_yoy,
       d.debt_change_yoy,
       s.stage,
       k.rsi_14,
       CAST(k.volume AS DOUBLE) AS volume,
       k.rvol_20,
       b.turnover / 1e7 AS turnover_cr,
       b.delivery_pct,
       k.roc_5,
       k.roc_21,
       b.roc_63,
       b.roc_126,
       b.roc_252,
       k.ema_10,
       k.ema_21,
       k.ema_50,
       k.ema_alignment,
       s.sma_50,
       k.sma_150,
       s.sma_200,
       s.pct_from_high,
       w.pct_from_low,
       k.is_tradable,
       c.vcp,
       c.vcp_pivot_distance,
       c.rs_line_new_high,
       c.trend_template,
       c.brs,
       c.in_brs,
       c.in_stage2,
       c.in_ipo,
       y.days_in_scan,
       w.recently_listed,
       CAST(w.indices AS TEXT) AS indices,
       s.overall_score,
       s.ttm_period,
       s.session,
       -- A screen by words answers with those below only where its sentence asks for them.
       h.promoter_change,
       h.fii_change,
       h.dii_change,
       h.mutual_fund_change,
       a.gnpa_pct,
       a.nnpa_pct,
       a.nim_pct,
       a.casa_pct,
       a.credit_growth_pct,
       a.deposit_growth_pct,
       e.ecs_score,
       e.quarter,
       e.reported_this_season,
       CAST(CAST(x.results_due AS INT) - CAST(as_of() AS INT) AS BIGINT) AS days_to_results,
       CASE WHEN b.price_segment = 0 OR b.year_start <= u.session
            THEN 100 * (b.adj_close * b.cumulative_split_factor_now / u.adj_close - 1) END AS return_ytd,
       g.eps_growth_1y,
       g.eps_cagr_3y,
       g.eps_cagr_5y,
       q.rs_rating AS rs_rating_before,
       n.price_cmp_before,
       n.stage_before,
       n.rsi_14_before,
       n.sma_50_before,
       n.sma_150_before,
       n.sma_200_before,
       n.ema_10_before,
       n.ema_21_before,
       n.ema_50_before,
       n.made_high,
       n.made_high_5,
       n.made_low,
       n.made_low_5,
       CASE WHEN t.trade_count > 0 THEN COALESCE(i.has_bought, FALSE) END AS insider_bought,
       CASE WHEN t.trade_count > 0 THEN COALESCE(i.has_sold, FALSE) END   AS insider_sold,
       CASE WHEN o.win_count > 0 THEN v.symbol IS NOT NULL END            AS won_order,
       -- The values of a caller's formulas, which Rust code computes.
       CAST(NULL AS DOUBLE) AS formula,
       CAST(NULL AS DOUBLE) AS second_formula,
       CAST(NULL AS DOUBLE) AS third_formula
FROM   screen s
JOIN   stocks k ON k.symbol = s.symbol
JOIN   latest_bars b ON b.symbol = s.symbol
JOIN   screen_words w ON w.symbol = s.symbol
LEFT   JOIN fundamentals f ON f.symbol = s.symbol
LEFT   JOIN scans c ON c.symbol = s.symbol
LEFT   JOIN (SELECT symbol, MAX(days_in_scan) AS days_in_scan
             FROM   scan_spells
             WHERE  left_on IS NULL AND scan_name IN ('stage2', 'nearHigh', 'highVol', 'vcp', 'brs')
             GROUP  BY symbol) y ON y.symbol = s.symbol
LEFT   JOIN (SELECT symbol, rs_rating FROM rs_history WHERE session = session_ago(63)) r ON r.symbol = s.symbol
LEFT   JOIN (SELECT symbol, rs_rating FROM rs_history WHERE session = session_ago(1)) q ON q.symbol = s.symbol
LEFT   JOIN (SELECT symbol, session, adj_close
             FROM   session_prices
             WHERE  session = session_on(CAST(date_trunc('year', as_of()) AS DATE) - 1)) u ON u.symbol = s.symbol
LEFT   JOIN bars_before n ON n.symbol = s.symbol
LEFT   JOIN (SELECT symbol, bool_or(side = 'buy') AS has_bought, bool_or(side = 'sell') AS has_sold
             FROM   insider_trades
             WHERE  filed_on > as_of() - 90
             AND    filed_on <= as_of()
             GROUP  BY symbol) i ON i.symbol = s.symbol
LEFT   JOIN (SELECT COUNT(*) AS trade_count FROM insider_trades) t ON TRUE
LEFT   JOIN (SELECT DISTINCT symbol
             -- In India, a row has no type and is an order.
             FROM   (SELECT * FROM order_wins UNION ALL BY NAME SELECT NULL AS contract_type WHERE FALSE)
             WHERE  filed_on > as_of() - 90
             AND    filed_on <= as_of()
             AND    (market() = 'india' OR contract_type = 'order_win')) v ON v.symbol = s.symbol
LEFT   JOIN (SELECT COUNT(*) AS win_count FROM order_wins) o ON TRUE
LEFT   JOIN (SELECT symbol,
                    CASE WHEN eps_0 > 0 AND eps_1 > 0 THEN 100 * (eps_0 / eps_1 - 1) END                    AS eps_growth_1y,
                    CASE WHEN eps_0 > 0 AND eps_3 > 0 THEN 100 * (POWER(eps_0 / eps_3, 1.0 / 3) - 1) END AS eps_cagr_3y,
                    CASE WHEN eps_0 > 0 AND eps_5 > 0 THEN 100 * (POWER(eps_0 / eps_5, 1.0 / 5) - 1) END AS eps_cagr_5y
             FROM   (SELECT y.symbol,
                            MAX(y.eps_diluted) FILTER (WHERE y.years = 0) AS eps_0,
                            MAX(y.eps_diluted) FILTER (WHERE y.years = 1) AS eps_1,
                            MAX(y.eps_diluted) FILTER (WHERE y.years = 3) AS eps_3,
                            MAX(y.eps_diluted) FILTER (WHERE y.years = 5) AS eps_5
                     FROM   (SELECT symbol,
                                    eps_diluted,
                                    MAX(fiscal_year) OVER (PARTITION BY symbol) - fiscal_year AS years
                             FROM   statements
                             WHERE  period_type = 'annual'
                             AND    months = 12
                             AND    announced_on <= as_of()) y
                     GROUP  BY y.symbol)) g ON g.symbol = s.symbol
LEFT   JOIN (SELECT symbol,
                    margin_change_yoy,
                    ecs_score,
                    quarter,
                    quarter_index = MAX(CASE WHEN ecs_score IS NOT NULL THEN quarter_index END) OVER () AS reported_this_season
             FROM   earnings
             WHERE  is_latest) e ON e.symbol = s.symbol
LEFT   JOIN (SELECT n.symbol, 100 * (n.total_debt / NULLIF(y.total_debt, 0) - 1) AS debt_change_yoy
             FROM   (SELECT *, ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS turn
                     FROM   statements
                     WHERE  total_debt IS NOT NULL
                     AND    period_type = 'quarterly'
                     AND    announced_on <= as_of()) n
             JOIN   (SELECT symbol, quarter_index, total_debt FROM statements WHERE period_type = 'quarterly') y
                    ON y.symbol = n.symbol AND y.quarter_index = n.quarter_index - 4
             WHERE  n.turn = 1) d ON d.symbol = s.symbol
LEFT   JOIN expected_results x ON x.symbol = s.symbol
LEFT   JOIN latest_pledges p ON p.symbol = s.symbol
LEFT   JOIN (SELECT symbol, pledge_change
             FROM   (SELECT symbol,
                            pledge_pct - LAG(pledge_pct) OVER (PARTITION BY symbol ORDER BY period_end) AS pledge_change,
                            ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC)            AS turn
                     FROM   pledges
                     WHERE  COALESCE(filed_on, period_end) <= as_of())
             WHERE  turn = 1) pc ON pc.symbol = s.symbol
LEFT   JOIN (SELECT symbol, promoter_pct, fii_pct, dii_pct, mutual_fund_pct, promoter_change, fii_change, dii_change, mutual_fund_change
             FROM   (SELECT *,
                            promoter_pct - LAG(promoter_pct) OVER reports       AS promoter_change,
                            fii_pct - LAG(fii_pct) OVER reports                 AS fii_change,
                            dii_pct - LAG(dii_pct) OVER reports                 AS dii_change,
                            mutual_fund_pct - LAG(mutual_fund_pct) OVER reports AS mutual_fund_change,
                            ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS turn
                     FROM   shareholding
                     WHERE  COALESCE(filed_on, period_end) <= as_of()
                     WINDOW reports AS (PARTITION BY symbol ORDER BY period_end))
             WHERE  turn = 1) h ON h.symbol = s.symbol
LEFT   JOIN (SELECT symbol, gnpa_pct, nnpa_pct, nim_pct, casa_pct, credit_growth_pct, deposit_growth_pct
             FROM   (SELECT *, ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS turn
                     FROM   banking_kpis
                     WHERE  COALESCE(filed_on, period_end) <= as_of())
             WHERE  turn = 1) a ON a.symbol = s.symbol
ORDER  BY s.symbol
