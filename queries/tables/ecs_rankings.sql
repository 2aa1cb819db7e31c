-- ECS rankings: the scored companies of every quarter, the best first.
--
-- key:     quarter, symbol
-- sorted:  quarter, ecs_rank, symbol
-- of-day: ecs_rank, is_latest_quarter, company_name, sector, ecs_score, coverage, pead_signal, drift_return, days_since, rs_rating, session, price_cmp, market_cap_cr, market_cap_b, market_cap_assumed
-- column: quarter              text
-- column: ecs_rank             int rank
-- column: symbol               text
-- column: is_latest_quarter    bool          "Whether it is the newest quarter with a score."
-- column: company_name         text?
-- column: sector               text?
-- column: ecs_score            number score
-- column: coverage             number pct
-- column: pead_signal          bool?
-- column: sue                  number? ratio
-- column: pat_growth_yoy       number? pct
-- column: pat_growth_qoq       number? pct
-- column: revenue_growth_yoy   number? pct
-- column: margin_change_yoy    number? points
-- column: announcement_return  number? pct
-- column: drift_return         number? pct
-- column: announced_on         date
-- column: filed_assumed        bool
-- column: days_since           int count
-- column: period_end           date
-- column: market_cap_cr        number? inr_crore india
-- column: market_cap_b         number? usd_billion us
-- column: market_cap_assumed   bool?
-- column: price_cmp            number? price
-- column: session              date?
-- column: rs_rating            int? rating
-- column: benchmark            text?
WITH newest AS (
    SELECT MAX(quarter_index) AS quarter_index FROM earnings WHERE ecs_score IS NOT NULL
)
SELECT e.quarter,
       e.ecs_rank,
       e.symbol,
       e.quarter_index = n.quarter_index AS is_latest_quarter,
       c.company_name,
       c.sector,
       e.ecs_score,
       e.coverage,
       e.pead_signal,
       e.sue,
       e.pat_growth_yoy,
       e.pat_growth_qoq,
       e.revenue_growth_yoy,
       e.margin_change_yoy,
       e.announcement_return,
       e.drift_return,
       e.announced_on,
       e.filed_assumed,
       e.days_since,
       e.period_end,
       s.market_cap_cr,
       s.market_cap_b,
       s.market_cap_assumed,
       s.price_cmp,
       s.session,
       s.rs_rating,
       e.benchmark
FROM   earnings e
CROSS  JOIN newest n
LEFT   JOIN companies c ON c.symbol = e.symbol
LEFT   JOIN (SELECT symbol, market_cap / 1e7 AS market_cap_cr, market_cap / 1e9 AS market_cap_b, market_cap_assumed, price_cmp, session, rs_rating FROM stocks) s
       ON s.symbol = e.symbol
WHERE  e.ecs_score IS NOT NULL
ORDER  BY e.quarter, e.ecs_rank, e.symbol
