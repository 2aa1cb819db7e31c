-- The risk of a portfolio of up to 50 stocks: volatility, beta, drawdown, value at risk, correlations, concentration.
--
-- All figures use daily log returns over the sessions on which every stock traded, in split-adjusted prices. Losses are positive. The
-- portfolio is rebalanced to its weights every session.
--
-- tool:   compute_committee_risk
-- tier:   api_pro
-- group:  Committee
-- answer: list
-- run:    risk_audit
-- param:  symbols  list in 1..50 "Tickers, with commas between them." e.g. BAXIPAPOWR,GEXUDOSERV
-- param:  weights  list? in 1..50 "A weight for each ticker, in their order and with commas between them, adding up to 1 or to 100; left out, equal weights." e.g. 60,40
-- param:  lookback int = 252 in 30..1260 "Daily returns to look back." e.g. 252
-- param:  market   text = india in (india, us) "The market of the tickers." e.g. india
-- constraint: `weights` has a number of 0 or more for each of `symbols`, and they sum to 1 or to 100.
-- constraint: Every symbol has at least nine tenths of the last `lookback` sessions, the symbols share enough of these sessions, and their prices moved.
-- column: market      text  "The market."
-- column: as_of       date? "Last session of the returns."
-- column: from        date? "First session of the returns."
-- column: sessions    int   "Daily returns that were used."
-- column: benchmark   text? "The series that stands for the large-cap market."
-- column: portfolio   row   "The figures of the portfolio, with `hhi` (the sum of squared weights) and `effective_names` (one over it)."
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
-- column: stocks      rows  "The figures of each stock, with its weight and its share of the portfolio's variance."
-- column: stocks.symbol text "Ticker of the stock."
-- column: stocks.weight number ratio "Share of the portfolio, of 1."
-- column: stocks.annual_return_pct number? pct "Mean log return of the lookback, compounded over 252 sessions."
-- column: stocks.volatility_pct number? pct "Standard deviation of the daily log returns, scaled to a year."
-- column: stocks.beta number? ratio "Slope of the returns on those of the benchmark."
-- column: stocks.correlation_to_benchmark number? ratio "Correlation of the returns with those of the benchmark."
-- column: stocks.max_drawdown_pct number? pct "Deepest fall from a high, as a positive number."
-- column: stocks.var_95_pct number? pct "Loss of a day that 95 % of the days did not exceed; a loss is positive."
-- column: stocks.cvar_95_pct number? pct "Mean loss of the worst 5 % of the days."
-- column: stocks.var_99_pct number? pct "Loss of a day that 99 % of the days did not exceed; a loss is positive."
-- column: stocks.cvar_99_pct number? pct "Mean loss of the worst 1 % of the days."
-- column: stocks.risk_contribution_pct number? pct "Share of the portfolio's variance."
-- column: correlations rows "The correlation of each pair, the strongest first."
-- column: correlations.a text "Ticker of the first stock."
-- column: correlations.b text "Ticker of the second stock."
-- column: correlations.correlation number? ratio "Correlation of their daily log returns."
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
