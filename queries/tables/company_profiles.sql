-- Company profiles: what is said of each company of India in one row, beside its price.
--
-- A profile is asked for by its symbol alone; joined beforehand, it costs one look-up instead of three.
--
-- market:   india
-- key:      symbol
-- sorted:   symbol
-- optional: fundamentals, latest_pledges
-- column: symbol               text
-- column: company_name         text?
-- column: sector               text?
-- column: sector_source        text?
-- column: industry             text?
-- column: market_cap_cr        number? inr_crore
-- column: price_cmp            number price
-- column: pe                   number? ratio
-- column: pb                   number? ratio
-- column: roce                 number? pct
-- column: roe                  number? pct
-- column: de                   number? ratio
-- column: opm_pct              number? pct
-- column: revenue_cagr_5y      number? pct
-- column: pat_cagr_5y          number? pct
-- column: fcf_yield            number? pct
-- column: pledge_pct           number? pct
-- column: rs_rating            int? rating
-- column: rs_rank              int? rank
-- column: wk52_high            number? price
-- column: wk52_low             number? price
-- column: ema_10               number? price
-- column: ema_21               number? price
-- column: altman_z_score       number? ratio
-- column: altman_model         text?
-- column: profitable_years_10y int? count
-- column: ttm_period           text?
-- column: basis                text?
-- column: session              date
SELECT s.symbol,
       s.company_name,
       s.sector,
       s.sector_source,
       s.industry,
       s.market_cap_cr,
       s.price_cmp,
       f.pe,
       f.pb,
       f.roce,
       f.roe,
       f.de,
       f.opm_pct,
       f.revenue_cagr_5y,
       f.pat_cagr_5y,
       f.fcf_yield,
       p.pledge_pct,
       s.rs_rating,
       s.rs_rank,
       s.wk52_high,
       s.wk52_low,
       s.ema_10,
       s.ema_21,
       f.altman_z_score,
       f.altman_model,
       f.profitable_years_10y,
       f.ttm_period,
       f.basis,
       s.session
FROM   stocks s
LEFT   JOIN fundamentals f ON f.symbol = s.symbol
LEFT   JOIN latest_pledges p ON p.symbol = s.symbol
ORDER  BY s.symbol
