-- Company profiles: facts and figures of each company of India in one row, with its price.
--
-- A profile is looked up by its symbol. Its tables are joined beforehand, so that it takes one look-up instead of three.
--
-- market:   india
-- key:      symbol
-- sorted:   symbol
-- optional: fundamentals, scorecards, announced_dividends, latest_pledges
-- column: symbol                text
-- column: company_name          text?
-- column: sector                text?
-- column: sector_source         text?
-- column: industry              text?
-- column: exchange              text?
-- column: market_cap_cr         number? inr_crore
-- column: market_cap_assumed    bool?
-- column: cap_counted_in        text? us
-- column: price_cmp             number price
-- column: session               date
-- column: change_pct            number? pct
-- column: pe                    number? ratio
-- column: pb                    number? ratio
-- column: ps                    number? ratio
-- column: ev_ebitda             number? ratio
-- column: roce                  number? pct
-- column: roe                   number? pct
-- column: de                    number? ratio
-- column: opm_pct               number? pct
-- column: net_margin_pct        number? pct
-- column: revenue_cagr_5y       number? pct
-- column: pat_cagr_5y           number? pct
-- column: fcf_yield             number? pct
-- column: dividend_yield        number? pct
-- column: pledge_pct            number? pct india
-- column: altman_z_score        number? ratio
-- column: altman_model          text?
-- column: piotroski_f           int? count
-- column: profitable_years_10y  int? count
-- column: overall_score         number? score_10
-- column: ttm_period            text?
-- column: basis                 text?
-- column: rs_rating             int? rating
-- column: rs_rank               int? rank
-- column: rs_trend_30d          int? points
-- column: universe              text?
-- column: universe_as_of        date?
-- column: universe_assumed      bool?
-- column: wk52_high             number? price
-- column: wk52_low              number? price
-- column: pct_from_high         number? pct
-- column: ema_10                number? price
-- column: ema_21                number? price
-- column: ema_50                number? price
-- column: ema_alignment         text?
-- column: sma_50                number? price
-- column: sma_200               number? price
-- column: rsi_14                number? score
-- column: stage                 int?
-- column: median_turnover_cr    number? inr_crore
-- column: is_tradable           bool
-- also: us
-- us-title: US company profiles: facts and figures of each company of the US in one row, with its price
-- us-names: market_cap_cr = market_cap_b, median_turnover_cr = median_turnover_usd_m
-- us-market: us
-- us-column: market_cap_b          number? usd_billion
-- us-column: median_turnover_usd_m number? usd_million
SELECT s.symbol,
       s.company_name,
       s.sector,
       s.sector_source,
       s.industry,
       s.exchange,
       s.market_cap_cr,
       s.market_cap_assumed,
       s.cap_counted_in,
       s.price_cmp,
       s.session,
       s.change_pct,
       f.pe,
       f.pb,
       f.ps,
       f.ev_ebitda,
       f.roce,
       f.roe,
       f.de,
       f.opm_pct,
       f.net_margin_pct,
       f.revenue_cagr_5y,
       f.pat_cagr_5y,
       f.fcf_yield,
       COALESCE(f.dividend_yield, CASE WHEN s.price_cmp > 0 THEN 100 * d.dividend_12m / s.price_cmp END) AS dividend_yield,
       p.pledge_pct,
       f.altman_z_score,
       f.altman_model,
       f.piotroski_f,
       f.profitable_years_10y,
       c.overall_score,
       f.ttm_period,
       f.basis,
       s.rs_rating,
       s.rs_rank,
       s.rs_trend_30d,
       s.universe,
       s.universe_as_of,
       s.universe_assumed,
       s.wk52_high,
       s.wk52_low,
       s.pct_from_high,
       s.ema_10,
       s.ema_21,
       s.ema_50,
       s.ema_alignment,
       s.sma_50,
       s.sma_200,
       s.rsi_14,
       s.stage,
       s.median_turnover_cr,
       s.is_tradable
FROM   stocks s
LEFT   JOIN fundamentals f ON f.symbol = s.symbol
LEFT   JOIN scorecards c ON c.symbol = s.symbol
LEFT   JOIN announced_dividends d ON d.symbol = s.symbol
LEFT   JOIN latest_pledges p ON p.symbol = s.symbol
ORDER  BY s.symbol
