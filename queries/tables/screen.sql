-- Screen: the figures by which stocks are screened, one row for each stock.
--
-- Only stocks that traded in the last five sessions have a row. Without statements their fundamental figures are null. An assumed market
-- cap is null, so that it meets no limit.
--
-- key:     symbol
-- sorted:  symbol
-- optional: fundamentals, scorecards, announced_dividends
-- schedule: 30 12 * * 1-5 india
-- schedule: 0 18 * * 1-5 us
-- stale-after-hours: 78
-- column: symbol            text
-- column: company_name      text?
-- column: sector            text?
-- column: industry          text?
-- column: exchange          text?
-- column: price_cmp         number price
-- column: change_pct        number? pct
-- column: market_cap_cr     number? inr_crore india
-- column: market_cap_b      number? usd_billion us
-- column: market_cap_assumed bool?
-- column: pe                number? ratio
-- column: pb                number? ratio
-- column: ev_ebitda         number? ratio
-- column: roce              number? pct
-- column: roe               number? pct
-- column: de                number? ratio
-- column: opm_pct           number? pct
-- column: fcf_yield         number? pct
-- column: dividend_yield    number? pct
-- column: revenue_growth_1y number? pct
-- column: pat_growth_1y     number? pct
-- column: revenue_cagr_5y   number? pct
-- column: pat_cagr_5y       number? pct
-- column: altman_z_score    number? ratio
-- column: piotroski_f       int? count
-- column: rs_rating         int? rating
-- column: rs_rank           int? rank
-- column: stage             int?
-- column: sma_50            number? price
-- column: sma_200           number? price
-- column: pct_from_high     number? pct
-- column: overall_score     number? score_10
-- column: ttm_period        text?
-- column: ttm_end           date?
-- column: session           date
SELECT s.symbol,
       s.company_name,
       s.sector,
       s.industry,
       s.exchange,
       s.price_cmp,
       s.change_pct,
       CASE WHEN NOT s.market_cap_assumed THEN s.market_cap / 1e7 END AS market_cap_cr,
       CASE WHEN NOT s.market_cap_assumed THEN s.market_cap / 1e9 END AS market_cap_b,
       s.market_cap_assumed,
       f.pe,
       f.pb,
       f.ev_ebitda,
       f.roce,
       f.roe,
       f.de,
       f.opm_pct,
       f.fcf_yield,
       COALESCE(f.dividend_yield, CASE WHEN s.price_cmp > 0 THEN 100 * d.dividend_12m / s.price_cmp END) AS dividend_yield,
       f.revenue_growth_1y,
       f.pat_growth_1y,
       f.revenue_cagr_5y,
       f.pat_cagr_5y,
       f.altman_z_score,
       f.piotroski_f,
       s.rs_rating,
       s.rs_rank,
       s.stage,
       s.sma_50,
       s.sma_200,
       s.pct_from_high,
       c.overall_score,
       f.ttm_period,
       f.ttm_end,
       s.session
FROM   stocks s
LEFT   JOIN fundamentals f ON f.symbol = s.symbol
LEFT   JOIN scorecards c ON c.symbol = s.symbol
LEFT   JOIN announced_dividends d ON d.symbol = s.symbol
WHERE  s.session >= session_ago(4)
ORDER  BY s.symbol
