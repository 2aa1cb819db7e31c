-- Ratios of a US company, each with its class and its percentile among its peers.
--
-- Peers are the companies of the sector that have the ratio, or those of the market if the sector has fewer than five; banks, lenders and
-- insurers are compared only with each other. `peer_group` says which group it is. In the percentile more is always better: 75 and more is
-- Excellent, 50 Good, 25 Average, the rest Poor. Flows are those of the last fiscal year if it ends with the newest quarter, otherwise
-- those of the last four quarters; growth is over years of twelve months. Valuations are null if the newest results ended more than 200
-- days before the price; `unvalued_because` says so.
--
-- tool:   us_get_ratios
-- tier:   api_pro
-- group:  US Markets
-- answer: list
-- param:  symbol text "Ticker of the company." e.g. BAQEBO
-- param:  codes  list? among ratio_codes.ratio_code "Codes of ratios, with commas between them; if omitted, all." e.g. roe,pe,de
SELECT r.symbol,
       r.ratio_code,
       c.ratio_name,
       r.ratio_value,
       c.ratio_unit,
       CASE WHEN r.ratio_code IN ('dividend_yield', 'ev_ebitda', 'fcf_yield', 'pb', 'pe', 'ps') THEN f.unvalued_because END AS unvalued_because,
       r.classification,
       r.peer_percentile,
       r.peer_count,
       r.peer_group,
       r.applies,
       r.sector,
       c.better,
       c.ratio_formula,
       r.period,
       r.period_end,
       r.balance_date
FROM   ratios r
JOIN   ratio_codes c ON c.ratio_code = r.ratio_code
JOIN   fundamentals f ON f.symbol = r.symbol
WHERE  r.symbol = $symbol
AND    ($codes IS NULL OR array_has($codes, r.ratio_code))
ORDER  BY r.ratio_code
