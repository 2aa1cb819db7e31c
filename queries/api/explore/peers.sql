-- Explorer: a company and the companies nearest to it in size, of its industry first, then of its sector.
--
-- An operation of the explorer. The first row is the company itself; the others follow, the largest first. Peers traded in the last five
-- sessions; the nearest in size have the smallest ratio between the two market caps. A company of unknown industry and sector has no peers,
-- and neither has one whose market cap is not known.
--
-- tool:   none
-- tier:   free
-- group:  Explorer
-- answer: list
-- free-symbols: yes
-- optional: screen
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  peers  int = 6 in 1..20 "Peers to return, beside the company itself." e.g. 6
-- column: is_asked          bool  "Whether it is the company that was asked for."
-- column: of_industry       bool? "Whether the row is of the company's industry; null where one of the two is not known."
-- also:   us
-- us-tier: api_pro
-- us-free-symbols: no
-- us-names: market_cap_cr = market_cap_b
-- us-param: symbol text "Ticker of the company." e.g. BAQEBO
WITH own AS (
    SELECT symbol, sector, industry, market_cap_cr
    FROM   stocks
    WHERE  symbol = $symbol
),
measured AS (
    SELECT s.symbol,
           s.industry = o.industry                    AS of_industry,
           abs(LN(s.market_cap_cr / o.market_cap_cr)) AS distance
    FROM   own o
    JOIN   screen s ON s.sector = o.sector OR s.industry = o.industry
    WHERE  s.symbol <> o.symbol
    AND    s.market_cap_cr > 0
    AND    o.market_cap_cr > 0
),
near AS (
    SELECT symbol, of_industry, ROW_NUMBER() OVER (ORDER BY of_industry DESC NULLS LAST, distance, symbol) AS turn
    FROM   measured
),
listed AS (
    SELECT symbol, TRUE AS is_asked, TRUE AS of_industry FROM own
    UNION  ALL
    SELECT symbol, FALSE, of_industry FROM near WHERE turn <= $peers
)
SELECT l.symbol,
       k.company_name,
       k.sector,
       k.industry,
       k.price_cmp,
       k.change_pct,
       k.market_cap_cr,
       k.market_cap_assumed,
       s.pe,
       s.pb,
       s.roe,
       s.opm_pct,
       s.revenue_growth_1y,
       k.rs_rating,
       s.overall_score,
       s.ttm_period,
       k.stage,
       l.is_asked,
       l.of_industry,
       k.session
FROM   listed l
JOIN   stocks k ON k.symbol = l.symbol
LEFT   JOIN screen s ON s.symbol = l.symbol
ORDER  BY l.is_asked DESC, k.market_cap DESC NULLS LAST, l.symbol
