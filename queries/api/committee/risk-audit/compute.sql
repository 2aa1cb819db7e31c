-- The risk of a portfolio of up to 50 stocks: volatility, beta, drawdown, value at risk, correlations, concentration.
--
-- All figures use daily log returns over the sessions on which every stock traded, in split-adjusted prices. Losses are positive. The
-- portfolio is rebalanced to its weights every session.
--
-- tool:   compute_committee_risk
-- tier:   api_pro
-- group:  Committee
-- answer: list
-- own-run: risk_audit
-- own-short: correlations
-- also:   committee/risk-audit/allocate
-- allocate-title: Weights for a portfolio of 2 to 50 stocks by a method of risk allocation, with the risk that each contributes
-- allocate-prose: `inverse_volatility` weighs by one over the volatility; `equal_risk_contribution` lets each stock contribute the same
-- allocate-prose: risk (Spinu 2013); `hierarchical_risk_parity` divides along a tree of correlations (Lopez de Prado 2016); `equal_weight`
-- allocate-prose: is the baseline. Weight that a cap takes from a stock goes to the others in proportion to their weights. A covariance
-- allocate-prose: that is not positive definite is shrunk (Ledoit and Wolf 2004), and the answer says so.
-- allocate-tool: allocate_committee_risk
-- allocate-run: risk_allocate
-- own-param:  symbols  list in 1..50 "Tickers, with commas between them." e.g. BAXIPAPOWR,GEXUDOSERV
-- own-param:  weights  list? in 1..50 "A weight for each ticker, in their order and with commas between them, adding up to 1 or to 100; if omitted, equal weights." e.g. 60,40
-- allocate-param:  symbols  list in 2..50 "Tickers, with commas between them." e.g. BAXIPAPOWR,GEXUDOSERV
-- allocate-param:  method     text = equal_risk_contribution in (inverse_volatility, equal_risk_contribution, hierarchical_risk_parity, equal_weight) "How the weights are found." e.g. hierarchical_risk_parity
-- allocate-param:  max_weight number? in 0..1 "The largest weight of a stock, as a share of 1." e.g. 0.7
-- param:  lookback int = 252 in 30..1260 "Daily returns to look back." e.g. 252
-- param:  market   text = india in (india, us) "The market of the tickers." e.g. india
-- own-constraint: `weights` has a number of 0 or more for each of `symbols`, and they sum to 1 or to 100.
-- own-constraint: Every symbol has at least nine tenths of the last `lookback` sessions, the symbols share enough of these sessions, and their prices moved.
-- allocate-constraint: `max_weight` is at least 1 over the number of symbols.
-- allocate-constraint: Every symbol has at least nine tenths of the last `lookback` sessions, the symbols share enough of these sessions, and their prices moved.
-- column: market      text  "The market."
-- column: as_of       date? "Last session of the returns."
-- column: from        date? "First session of the returns."
-- column: sessions    int   "Daily returns that were used."
-- column: benchmark   text? "The series that represents the large-cap market."
-- own-column: portfolio   row   "The figures of the portfolio, with `hhi` (the sum of squared weights) and `effective_names` (one over it)."
-- allocate-column: method      text  "How the weights were found."
-- allocate-column: weights     rows  "The weight of each stock, its volatility and its share of the portfolio's variance."
-- allocate-column: weights.symbol text "Ticker of the stock."
-- allocate-column: weights.weight number ratio "Share of the portfolio, of 1."
-- allocate-column: weights.risk_contribution_pct number? pct "Share of the portfolio's variance."
-- allocate-column: weights.volatility_pct number? pct "Standard deviation of the stock's daily log returns, scaled to a year."
-- allocate-column: portfolio   row   "The figures of the portfolio with these weights."
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
-- own-column: stocks      rows  "The figures of each stock, with its weight and its share of the portfolio's variance."
-- own-column: stocks.symbol text "Ticker of the stock."
-- own-column: stocks.weight number ratio "Share of the portfolio, of 1."
-- own-column: stocks.annual_return_pct number? pct "Mean log return of the lookback, compounded over 252 sessions."
-- own-column: stocks.volatility_pct number? pct "Standard deviation of the daily log returns, scaled to a year."
-- own-column: stocks.beta number? ratio "Slope of the returns on those of the benchmark."
-- own-column: stocks.correlation_to_benchmark number? ratio "Correlation of the returns with those of the benchmark."
-- own-column: stocks.max_drawdown_pct number? pct "Deepest fall from a high, as a positive number."
-- own-column: stocks.var_95_pct number? pct "Loss of a day that 95 % of the days did not exceed; a loss is positive."
-- own-column: stocks.cvar_95_pct number? pct "Mean loss of the worst 5 % of the days."
-- own-column: stocks.var_99_pct number? pct "Loss of a day that 99 % of the days did not exceed; a loss is positive."
-- own-column: stocks.cvar_99_pct number? pct "Mean loss of the worst 1 % of the days."
-- own-column: stocks.risk_contribution_pct number? pct "Share of the portfolio's variance."
-- own-column: correlations rows "The correlation of each pair, the strongest first."
-- own-column: correlations.a text "Ticker of the first stock."
-- own-column: correlations.b text "Ticker of the second stock."
-- own-column: correlations.correlation number? ratio "Correlation of their daily log returns."
-- allocate-column: covariance  row   "How the covariance was estimated, and whether it was shrunk."
-- allocate-column: covariance.estimator text "How the covariance was estimated."
-- allocate-column: covariance.shrinkage number? ratio "How far the covariance was shrunk to its target, 0 to 1; null if it was not shrunk."
-- allocate-column: covariance.positive_definite bool "Whether the estimate could be inverted."
-- allocate-column: covariance.note text "The same in words."
-- allocate-column: capped      texts "Stocks whose weight the cap limits."
-- allocate-column: order       texts? "The order of the tree's leaves, for `hierarchical_risk_parity`."
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
