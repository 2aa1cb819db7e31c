-- Weights for a portfolio of 2 to 50 stocks by a method of risk allocation, with the risk that each contributes.
--
-- `inverse_volatility` weighs by one over the volatility; `equal_risk_contribution` lets each stock contribute the same risk (Spinu 2013);
-- `hierarchical_risk_parity` divides along a tree of correlations (Lopez de Prado 2016); `equal_weight` is the baseline. Weight that a cap
-- takes from a stock goes to the others in proportion to their weights. A covariance that is not positive definite is shrunk (Ledoit and
-- Wolf 2004), and the answer says so.
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
-- constraint: Every symbol has at least nine tenths of the last `lookback` sessions, the symbols share enough of these sessions, and their prices moved.
-- column: market      text  "The market."
-- column: as_of       date? "Last session of the returns."
-- column: from        date? "First session of the returns."
-- column: sessions    int   "Daily returns that were used."
-- column: benchmark   text? "The series that stands for the large-cap market."
-- column: method      text  "How the weights were found."
-- column: weights     rows  "The weight of each stock, its volatility and its share of the portfolio's variance."
-- column: weights.symbol text "Ticker of the stock."
-- column: weights.weight number ratio "Share of the portfolio, of 1."
-- column: weights.risk_contribution_pct number? pct "Share of the portfolio's variance."
-- column: weights.volatility_pct number? pct "Standard deviation of the stock's daily log returns, scaled to a year."
-- column: portfolio   row   "The figures of the portfolio with these weights."
-- column: portfolio.annual_return_pct number? pct "Mean log return of the lookback, compounded over 252 sessions."
-- column: portfolio.volatility_pct number? pct "Standard deviation of the daily log returns, scaled to a year."
-- column: portfolio.beta number? ratio "Slope of the returns on those of the benchmark."
-- column: portfolio.correlation_to_benchmark number? ratio "Correlation of the returns with those of the benchmark."
-- column: portfolio.max_drawdown_pct number? pct "Deepest fall from a high, as a positive number."
-- column: portfolio.var_95_pct number? pct "Loss of a day that 95 % of the days did not exceed; a loss is positive."
-- column: portfolio.cvar_95_pct number? pct "Mean loss of the worst 5 % of the days."
-- column: portfolio.var_99_pct number? pct "Loss of a day that 99 % of the days did not exceed; a loss is positive."
-- column: portfolio.cvar_99_pct number? pct "Mean loss of the worst 1 % of the days."
-- column: portfolio.hhi number ratio "Sum of the squared weights."
-- column: portfolio.effective_names number ratio "One over `hhi`: the number of stocks of equal weight that are as concentrated."
-- column: portfolio.diversification_ratio number? ratio "Mean volatility of the stocks over that of the portfolio."
-- column: covariance  row   "How the covariance was estimated, and whether it was shrunk."
-- column: covariance.estimator text "How the covariance was estimated."
-- column: covariance.shrinkage number? ratio "How far the covariance was shrunk to its target, 0 to 1; null if it was not shrunk."
-- column: covariance.positive_definite bool "Whether the estimate could be inverted."
-- column: covariance.note text "The same in words."
-- column: capped      texts "Stocks whose weight the cap limits."
-- column: order       texts? "The order of the tree's leaves, for `hierarchical_risk_parity`."
-- column: warnings    texts "Warnings about the figures."
WITH bars AS (
    SELECT symbol,
           session,
           price_segment,
           close * cumulative_split_factor AS close
    FROM   daily_prices
    WHERE  array_has($symbols, symbol)
    -- A tenth more sessions than are measured, as stocks may lack some; without a lookback all of them.
    AND    session >= COALESCE(session_ago($lookback + $lookback / 10), DATE '1900-01-01')
)
SELECT s.session,
       d.symbol,
       d.price_segment,
       d.close,
       b.benchmark_close,
       b.benchmark
FROM   sessions s
LEFT   JOIN bars d ON d.session = s.session
LEFT   JOIN benchmark b ON b.session = s.session
WHERE  s.session >= COALESCE(session_ago($lookback + $lookback / 10), DATE '1900-01-01')
ORDER  BY s.session, d.symbol
