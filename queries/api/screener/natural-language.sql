-- Stocks that a sentence describes, with the criteria that it was read as.
--
-- The sentence becomes a tree of conditions over the screener's own fields, which is checked, run and shown under `criteria`; of a sentence
-- that was not understood whole no stock is listed, only what was and was not understood. A language model reads it where the operator has
-- configured one, else a grammar of our own; `read_by` says which. Figures that are not known meet no condition. Every stock that traded in
-- the last five sessions is looked at, unless the sentence asks for those that can be traded: `liquidity` and `words` say which.
--
-- tool:   screen_natural_language
-- tier:   api_max
-- group:  MCP only
-- india-route:  none
-- answer: list
-- optional: fundamentals, scorecards, scans, index_members, index_lists, earnings, statements
-- india-optional: latest_pledges, pledges, shareholding
-- run:    natural_language
-- param:  query text in 1..200 "What is looked for, in plain English." e.g. midcap pharma with ROE above 15, strongest RS first
-- param:  limit int = 20 in 1..50 "Rows to return." e.g. 5
-- constraint: Something in `query` is understood: a figure, a sector, an industry, an index, a size, a scan or an order.
-- column: query          text  "The sentence."
-- column: criteria       row   "The tree of conditions that it was read as."
-- column: words          text  "The conditions in words, and among which stocks."
-- column: liquidity      text  "Which stocks the sentence asks for: tradable or all."
-- column: sorted_by      text  "The field the rows are sorted by, and the direction."
-- column: read_by        text  "grammar or model."
-- column: not_understood texts "Words that carry a meaning and were not understood."
-- column: notes          texts "How words without a number were taken, and why no stock is listed where something was not understood."
-- column: funnel         rows  "How many stocks are left after each condition, where none is left in the end; empty otherwise."
-- column: funnel.condition text "The condition in words."
-- column: funnel.left    int count "Stocks that meet it and those before it."
-- column: stocks         rows  "The stocks."
-- column: count          int count "Stocks that are returned."
-- column: total          int   "Stocks that meet the criteria."
-- also: us
-- us-title: US stocks that a sentence describes, with the criteria that it was read as
-- us-names: market_cap_cr = market_cap_b
-- us-tool:   us_screen_natural_language
-- us-group:  US Markets
-- us-param:  query text in 1..200 "What is looked for, in plain English." e.g. technology stocks with ROE above 15 and low debt, strongest RS first
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
-- only india
       p.pledge_pct,
       pc.pledge_change,
       h.promoter_pct,
       h.fii_pct,
       h.dii_pct,
       h.mutual_fund_pct,
-- all
       s.rs_rating,
       s.rs_rank,
       k.rs_trend_30d,
       s.rs_rating - r.rs_rating AS rs_change_63,
       e.margin_change_yoy,
       d.debt_change_yoy,
       s.stage,
       k.rsi_14,
       k.volume,
       k.rvol_20,
       k.turnover_cr, -- only india
       k.delivery_pct, -- only india
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
       w.recently_listed,
       w.indices,
       s.overall_score,
       s.ttm_period,
       s.session
FROM   screen s
JOIN   stocks k ON k.symbol = s.symbol
JOIN   latest_bars b ON b.symbol = s.symbol
JOIN   screen_words w ON w.symbol = s.symbol
LEFT   JOIN fundamentals f ON f.symbol = s.symbol
LEFT   JOIN scans c ON c.symbol = s.symbol
LEFT   JOIN (SELECT symbol, rs_rating FROM rs_history WHERE session = session_ago(63)) r ON r.symbol = s.symbol
LEFT   JOIN (SELECT symbol, margin_change_yoy FROM earnings WHERE is_latest) e ON e.symbol = s.symbol
LEFT   JOIN (SELECT n.symbol, 100 * (n.total_debt / NULLIF(y.total_debt, 0) - 1) AS debt_change_yoy
             FROM   (SELECT *, ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS turn
                     FROM   statements
                     WHERE  total_debt IS NOT NULL
                     AND    period_type = 'quarterly'
                     AND    announced_on <= as_of()) n
             JOIN   (SELECT symbol, quarter_index, total_debt FROM statements WHERE period_type = 'quarterly') y
                    ON y.symbol = n.symbol AND y.quarter_index = n.quarter_index - 4
             WHERE  n.turn = 1) d ON d.symbol = s.symbol
-- only india
LEFT   JOIN latest_pledges p ON p.symbol = s.symbol
LEFT   JOIN (SELECT symbol, pledge_change
             FROM   (SELECT symbol,
                            pledge_pct - LAG(pledge_pct) OVER (PARTITION BY symbol ORDER BY period_end) AS pledge_change,
                            ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC)            AS turn
                     FROM   pledges
                     WHERE  COALESCE(filed_on, period_end) <= as_of())
             WHERE  turn = 1) pc ON pc.symbol = s.symbol
LEFT   JOIN (SELECT symbol, promoter_pct, fii_pct, dii_pct, mutual_fund_pct
             FROM   (SELECT *, ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS turn
                     FROM   shareholding
                     WHERE  COALESCE(filed_on, period_end) <= as_of())
             WHERE  turn = 1) h ON h.symbol = s.symbol
-- all
ORDER  BY s.symbol
