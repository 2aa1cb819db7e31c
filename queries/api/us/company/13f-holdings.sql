-- Holdings of the followed institutional investors by their newest Form 13F: the investors, or those that hold a company.
--
-- Without a symbol, the answer lists each investor with the value of its portfolio and its ten largest positions, the largest portfolio
-- first. With a symbol, it lists the investors that hold its shares, the largest position first. A report states the holdings at the end of
-- a quarter and is filed up to 45 days later.
--
-- tool:   us_get_13f_holdings
-- tier:   api_max
-- group:  US Markets
-- answer: list
-- param:  symbol text? "Ticker of the company; without it, the investors are listed." e.g. BAQEBO
-- column: top_holdings rows "The ten largest positions of the portfolio."

-- when: symbol absent
SELECT i.investor,
       i.cik,
       i.style,
       h.report_date,
       h.filed_on,
       h.portfolio_value_usd,
       h.portfolio_positions,
       h.top_holdings,
       h.source
FROM   investors i
LEFT   JOIN (SELECT cik,
                    report_date,
                    filed_on,
                    portfolio_value_usd,
                    portfolio_positions,
                    source,
                    array_agg(named_struct('symbol', symbol,
                                           'issuer', issuer,
                                           'shares', shares,
                                           'value_usd', value_usd,
                                           'portfolio_pct', portfolio_pct,
                                           'position_change', position_change) ORDER BY portfolio_rank) AS top_holdings
             FROM   investor_holdings
             WHERE  portfolio_rank <= 10
             GROUP  BY cik, report_date, filed_on, portfolio_value_usd, portfolio_positions, source) h ON h.cik = i.cik
ORDER  BY h.portfolio_value_usd DESC NULLS LAST, i.cik

-- when: symbol present
SELECT h.symbol,
       c.company_name,
       h.investor,
       h.cik,
       h.style,
       h.report_date,
       h.filed_on,
       h.shares,
       h.value_usd,
       h.portfolio_pct,
       h.portfolio_rank,
       h.prior_shares,
       h.shares_change,
       h.shares_change_pct,
       h.position_change,
       h.share_class,
       h.cusip,
       h.source
FROM   investor_holdings h
LEFT   JOIN companies c ON c.symbol = h.symbol
WHERE  h.symbol = $symbol
ORDER  BY h.value_usd DESC, h.cik, h.cusip
