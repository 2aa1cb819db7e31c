-- Ratios of a company: returns, margins, debt, cash, growth over one, three and five years, valuation, distress, pledge.
--
-- Flows are those of the last fiscal year if it ends with the newest quarter, otherwise those of the last four quarters; growth is over
-- years of twelve months. A ratio is null if an input is missing or its base is not positive, such as price to earnings with a loss.
-- Valuations are also null if the newest results ended more than 200 days before the price; `unvalued_because` says so. Banks, lenders and
-- insurers have no free cash flow, EV ratios, current ratio, Altman or Piotroski score; they have ratios of their own instead.
--
-- tool:   get_ratios
-- tier:   free
-- group:  Core
-- answer: one
-- optional: latest_pledges
-- free-symbols: yes
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
SELECT f.symbol,
       s.company_name,
       f.sector,
       f.industry,
       f.roce,
       f.roe,
       f.roa,
       f.de,
       f.opm_pct,
       f.gross_margin_pct,
       f.net_margin_pct,
       f.fcf_yield,
       f.revenue_growth_1y,
       f.revenue_cagr_3y,
       f.revenue_cagr_5y,
       f.pat_growth_1y,
       f.pat_cagr_3y,
       f.pat_cagr_5y,
       f.altman_z_score,
       f.altman_model,
       f.altman_zone,
       f.piotroski_f,
       p.pledge_pct,
       f.pe,
       f.pb,
       f.ps,
       f.ev_ebitda,
       f.dividend_yield,
       f.current_ratio,
       f.interest_cover,
       f.cash_conversion,
       f.asset_turnover,
       f.dilution_pct,
       f.profitable_years_10y,
       f.industry_revenue_share,
       f.is_financial,
       f.business_kind,
       f.equity_to_assets,
       f.tier1_pct,
       f.gnpa_pct,
       f.cost_of_funds,
       f.margin_on_assets,
       f.basis,
       f.currency,
       f.ttm_period,
       f.ttm_end,
       f.fiscal_period,
       f.balance_date,
       f.unvalued_because,
       f.statements_known_on,
       f.price_cmp,
       f.market_cap_assumed,
       s.session
FROM   fundamentals f
JOIN   stocks s ON s.symbol = f.symbol
LEFT   JOIN latest_pledges p ON p.symbol = f.symbol
WHERE  f.symbol = $symbol
