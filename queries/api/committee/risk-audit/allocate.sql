-- Weights for a portfolio of 2 to 50 stocks by a method of risk allocation, with the risk that each contributes.
--
-- `inverse_volatility` weighs by one over the volatility; `equal_risk_contribution` lets each stock contribute the same risk (Spinu
-- 2013); `hierarchical_risk_parity` divides along a tree of correlations (Lopez de Prado 2016); `equal_weight` is the yardstick. What a
-- cap takes from a stock goes to the others in proportion to their weights. A covariance that is not positive definite is shrunk
-- (Ledoit and Wolf 2004), and the answer says so.
--
-- tool:   allocate_committee_risk
-- tier:   api_pro
-- group:  Committee
-- answer: list
-- run:    risk_allocate
-- param:  symbols  list in 2..50 "Tickers, with commas between them." e.g. BAXIPAPOWR,GEXUDOSERV
-- param:  method     text = equal_risk_contribution in (inverse_volatility, equal_risk_contribution, hierarchical_risk_parity, equal_weight) "How the weights are found." e.g. hierarchical_risk_parity
-- param:  max_weight number? in 0..1 "The largest weight of a stock, as a share of 1." e.g. 0.7
-- param:  lookback int = 252 in 30..1260 "Daily returns to look back." e.g. 252
-- param:  market   text = india in (india, us) "The market of the tickers." e.g. india
-- constraint: `max_weight` is at least 1 over the number of symbols.
-- constraint: The symbols share enough sessions within `lookback`, and their prices moved in them.
-- column: market      text  "The market."
-- column: as_of       date? "Last session of the returns."
-- column: from        date? "First session of the returns."
-- column: sessions    int   "Daily returns that were used."
-- column: benchmark   text? "The series that stands for the large-cap market."
-- column: method      text  "How the weights were found."
-- column: weights     rows  "The weight of each stock, its volatility and its share of the portfolio's variance."
-- column: portfolio   row   "The figures of the portfolio with these weights."
-- column: covariance  row   "How the covariance was estimated, and whether it was shrunk."
-- column: capped      texts "Stocks that the cap holds."
-- column: order       texts? "The order of the tree's leaves, for `hierarchical_risk_parity`."
-- column: warnings    texts "What is to be borne in mind."
SELECT d.session,
       d.history,
       d.close * d.shares_of_one AS close,
       b.benchmark_close,
       b.benchmark
FROM   daily_prices d
LEFT   JOIN benchmark b ON b.session = d.session
WHERE  d.symbol = array_element($symbols, 1)
ORDER  BY d.session
