-- The risk of a portfolio of up to 50 stocks: volatility, beta, drawdown, value at risk, correlations, concentration.
--
-- All figures are of daily log returns over the sessions on which every stock traded, in split-adjusted prices. Losses are positive.
-- The portfolio is rebalanced to its weights every session.
--
-- tool:   compute_committee_risk
-- tier:   api_pro
-- group:  Committee
-- answer: list
-- run:    risk_audit
-- param:  symbols  list in 1..50 "Tickers, with commas between them." e.g. BAXIPAPOWR,GEXUDOSERV
-- param:  weights  list? in 1..50 "A weight for each ticker, in their order, adding up to 1 or to 100; left out, equal weights." e.g. 60,40
-- param:  lookback int = 252 in 30..1260 "Daily returns to look back." e.g. 252
-- param:  market   text = india in (india, us) "The market of the tickers." e.g. india
-- constraint: `weights` has a number of 0 or more for each of `symbols`, and they sum to 1 or to 100.
-- constraint: The symbols share enough sessions within `lookback`, and their prices moved in them.
-- column: market      text  "The market."
-- column: as_of       date? "Last session of the returns."
-- column: from        date? "First session of the returns."
-- column: sessions    int   "Daily returns that were used."
-- column: benchmark   text? "The series that stands for the large-cap market."
-- column: portfolio   row   "The figures of the portfolio, with `hhi` (the sum of squared weights) and `effective_names` (one over it)."
-- column: stocks      rows  "The figures of each stock, with its weight and its share of the portfolio's variance."
-- column: correlations rows "The correlation of each pair, the strongest first."
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
