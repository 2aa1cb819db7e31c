-- Back-test: returns of past picks after costs, beside the benchmark.
--
-- Picks are the stocks of a scan at the end of each week, month or quarter (known for the last 63 sessions), the first stocks of a screen in
-- the last set of each, always the same stocks, or the rows of a SELECT by date. A screen is answered by retained and past sets, each as of
-- its day. Periods without a set have no picks; a warning counts them and names the command that makes the sets. Orders fill in the session
-- after their day, never at the limit of a price band and never without a bar; what is not filled waits and is then dropped and counted.
-- Costs are those of the day. A SELECT over tables of the present knows what came later: read tables by session. A stop or a target sells
-- within a session, at its level or at an open beyond it. Each date of a SELECT is a day of picks; for the other picks the days are the last
-- sessions of each `every` that ended by `to`. Later picks sell the stocks that are not among them, and all if there are none; with `hold`,
-- each position is kept for so many sessions instead, and later picks use the money that is left. A call costs one request, and one more
-- for every 200 ms of the processor. This operation is an addition of this server.
--
-- tool:   backtest
-- tier:   api_pro
-- group:  Back-tests
-- answer: list
-- run:    backtest
-- workbook: yes
-- optional: scan_spells, corporate_events, benchmark
-- india-optional: limit_hits
-- param:  scan    text = stage2 in (stage2, nearHigh, highVol, vcp, brs, volume, ipo, stage2NearHigh, allThree, all) not-empty "Scan that picks without another source: newest entries, 63 sessions." e.g. nearHigh
-- param:  symbols list? in 1..100 not-empty "Always these stocks, with commas between."
-- param:  list    list? in 1..8 own-list rest-only not-empty "Names of your lists, with commas between: always their stocks."
-- param:  sql     text? in 1..16384 not-empty "A SELECT as for `query`: date, symbol, perhaps weight."
-- param:  screen  text? in 1..200 not-empty "Screen in words, on past sets."
-- param:  saved   text? in 1..40 rest-only not-empty "Name of a saved screen of yours: its first stocks, likewise."
-- param:  every   text = monthly in (weekly, monthly, quarterly) "Picks at the last session of each." e.g. weekly
-- param:  top     int = 20 in 1..100 "Picks a day of a scan or screen." e.g. 10
-- param:  hold    int? in 1..1000 "Sessions for which a position is kept." e.g. 40
-- param:  stop    number? in 0.1..99 "Fall from the first purchase that sells, in %." e.g. 10
-- param:  target  number? in 0.1..10000 "Rise from the first purchase that sells, in %." e.g. 30
-- param:  from    date? "First day of picks; else that of `sql`, or a year before the last."
-- param:  to      date? "Last session; else the newest."
-- param:  fill    text = open in (open, close) "Price of fills, in the next session." e.g. close
-- param:  weight  text = equal in (equal, given, cap, inverse_volatility) "given: by `sql`, up to 1 in all; inverse_volatility: of 63 sessions." e.g. inverse_volatility
-- param:  costs   text = market in (market, none) "Taxes and fees by date, or none." e.g. none
-- param:  brokerage_pct number = 0 in 0..2 rest-only "Brokerage of each trade, in percent." e.g. 0.1
-- param:  slippage_bps number = 5 in 0..500 rest-only "Slippage of each trade, in hundredths of a percent; one more for each percent of the session's turnover that the trade makes up." e.g. 10
-- param:  volume_pct number = 10 in 0.01..100 rest-only "Most of a session's volume that one order fills, in percent." e.g. 5
-- param:  wait    int = 5 in 0..60 rest-only "Sessions that an order waits if it cannot fill." e.g. 3
-- param:  capital number = 1000000 in 1000..1000000000000 rest-only "Money at the start; large sums reach the limit of volume." e.g. 500000
-- param:  random  int? in 1..1000 "Random portfolios of the same size, to compare with." e.g. 100
-- param:  detail  text = standard in (summary, standard, full) "summary: figures; standard: also month-ends and largest trades; full: all." e.g. summary
-- param:  part    text? in (years, unfilled, picks_left_out, charges, equity, trades) rest-only "With format=csv: the list that is written."
-- constraint: `part` is given with `format=csv`, and with no other format.
-- constraint: At most one of `symbols`, `list`, `sql`, `screen` and `saved` is given, and `sql` is allowed as `query` allows it.
-- constraint: `weight=given` needs `sql` with a column weight, and no other weight takes one. `from` is before `to`.
-- constraint: With `random` there are at most 130 days of picks.
-- constraint: The picks are at most 400 different stocks, and at most 600,000 bars of them are read.
-- column: market      text  "The market."
-- column: source      text  "Picks by: scan, symbols, sql or screen."
-- column: from        date  "Session of the first picks."
-- column: to          date  "Last session."
-- column: decisions   int count "Days whose picks were ordered."
-- column: statistics  row   "The equity, after costs."
-- column: statistics.returns int count "Daily returns."
-- column: statistics.total_return_pct number pct "Return over all sessions."
-- column: statistics.cagr_pct number? pct "Growth a year; null for less than a year."
-- column: statistics.volatility_pct number? pct "Standard deviation of the daily returns, scaled to a year."
-- column: statistics.sharpe number? ratio "Mean daily return over its standard deviation, scaled to a year."
-- column: statistics.mean_return_pct number? pct "Mean daily return, times 252; null for a single return."
-- column: statistics.mean_return_low_pct number? pct "Lower end of its 95 % interval."
-- column: statistics.mean_return_high_pct number? pct "Upper end of its 95 % interval."
-- column: statistics.max_drawdown_pct number? pct "Deepest fall from a high, as a positive number."
-- column: statistics.drawdown_from date? "Session of that high."
-- column: statistics.drawdown_to date? "Session of the low."
-- column: statistics.recovered_on date? "First session at the high again; null if not yet."
-- column: benchmark   row?  "The benchmark by its closes over the same sessions, without costs and dividends."
-- column: benchmark.name text "The series that represents the large-cap market."
-- column: benchmark.total_return_pct number pct "Return over all sessions."
-- column: benchmark.cagr_pct number? pct "Growth a year; null for less than a year."
-- column: benchmark.volatility_pct number? pct "Standard deviation of the daily returns, scaled to a year."
-- column: benchmark.sharpe number? ratio "Mean daily return over its standard deviation, scaled to a year."
-- column: benchmark.max_drawdown_pct number? pct "Deepest fall from a high, as a positive number."
-- column: comparison  row?  "With `random`: the picks beside the tradable stocks of each day. All are held from the close of the session after a day of picks to that after the next, without costs, dividends, `hold`, `stop` and `target`; a stock that ceased to trade counts with its last close, an unexplained jump as a move."
-- column: comparison.decisions int count "Days of picks."
-- column: comparison.picks_return_pct number pct "Return of the picks."
-- column: comparison.universe_return_pct number pct "Return of all tradable stocks in equal weights."
-- column: comparison.random row? "Returns of the random portfolios."
-- column: comparison.random.portfolios int count "Number of portfolios."
-- column: comparison.random.percentile number pct "Share of the portfolios with a lower return than the picks."
-- column: comparison.random.low_return_pct number pct "Return that 5 % of the portfolios do not reach."
-- column: comparison.random.median_return_pct number pct "Median return."
-- column: comparison.random.high_return_pct number pct "Return that 5 % of the portfolios exceed."
-- column: years       rows  "Calendar years."
-- column: years.year  int   "Year."
-- column: years.return_pct number pct "Return."
-- column: years.max_drawdown_pct number pct "Deepest fall from the last value of the year before on, as a positive number."
-- column: years.benchmark_return_pct number? pct "Return of the benchmark."
-- column: activity    row   "Trades, costs and what was not filled."
-- column: activity.fills int count "Filled orders and parts of orders."
-- column: activity.turnover_pct_a_year number? pct "Half the value of all fills over the mean equity, for a year."
-- column: activity.charges number money "Taxes and fees."
-- column: activity.slippage number money "Slippage."
-- column: activity.costs_pct_a_year number? pct "Taxes, fees and slippage over the mean equity, for a year."
-- column: activity.dividends number money "Dividends."
-- column: activity.exposure_pct number? pct "Mean share of the equity that was not in cash, without the first session."
-- column: activity.round_trips int count "Positions bought and sold again."
-- column: activity.hit_rate_pct number? pct "Share of them with a profit after costs."
-- column: activity.mean_trip_return_pct number? pct "Their mean return after costs."
-- column: activity.unfilled rows "Orders that were not filled, by side and reason."
-- column: activity.unfilled.side text "buy or sell."
-- column: activity.unfilled.reason text "no_bar, locked (at the limit of the price band), volume, cash (it paid for less than 99 % of the session's purchases, or too little was left beside positions that `hold` keeps), replaced (by later picks, or as the stock was sold at a level) or ended."
-- column: activity.unfilled.whole int count "Orders of which nothing was filled."
-- column: activity.unfilled.in_part int count "Orders of which a part was filled."
-- column: counts      row   "Counts of picks and of special cases."
-- column: counts.picks int count "Picks of these days."
-- column: counts.picks_outside int count "Picks of days before `from` or after `to`."
-- column: counts.unknown_picks int count "Picks without any bar up to their day."
-- column: counts.unweighted_picks int count "Picks for which the weighting had no number, or 0."
-- column: counts.picks_not_due int count "Picks of the last session, which would fill after it."
-- column: counts.positions_gone int count "Positions closed at their last close after 60 sessions without a bar."
-- column: counts.jumps_held int count "Positions held over an unexplained jump of the price, up to the close of its session; it leaves their value."
-- column: counts.open_without_bar int count "Open positions whose last bar is before the last session."
-- column: picks_left_out rows "Picks without an order, by day; the first 40 unless all are there."
-- column: picks_left_out.decided date "Day of the pick."
-- column: picks_left_out.symbol text "Symbol."
-- column: picks_left_out.reason text "outside_days (before `from` or after `to`), no_bar (none up to its day), no_weight (none, or 0), or not_due (its order would fill after the last session)."
-- column: charges     rows  "Taxes and fees by name."
-- column: charges.name text "Name of the charge."
-- column: charges.paid number money "Money paid."
-- column: equity      rows  "Equity by session, or at the last session of each month."
-- column: equity.session date "Session."
-- column: equity.equity number money "Cash and positions at the close."
-- column: equity.cash number money "Cash."
-- column: equity.positions int count "Number of positions."
-- column: equity.drawdown_pct number pct "Fall from the highest equity up to it, as a positive number."
-- column: equity.benchmark_close number? price "Close of the benchmark."
-- column: equity.benchmark_drawdown_pct number? pct "Fall of the benchmark, likewise."
-- column: trades      rows  "Positions from the first purchase to the last sale; the largest profits and losses first unless all are there."
-- column: trades.symbol text "Symbol."
-- column: trades.decided date "Day of the pick."
-- column: trades.opened date "Session of the first purchase."
-- column: trades.closed date? "Session of the last sale; null while it is open."
-- column: trades.exit text? "not_picked, held_long_enough, stop, target or gone; null while it is open."
-- column: trades.bought number money "Value of the purchases."
-- column: trades.sold number money "Value of the sales, with the present value while it is open."
-- column: trades.dividends number money "Dividends."
-- column: trades.costs number money "Taxes, fees and slippage."
-- column: trades.profit number money "Sales and dividends less purchases and costs."
-- column: trades_left_out int count "Positions that are not listed."
-- column: warnings    texts "Limits of what this back-test shows."
-- also:   us
-- us-tool: us_backtest

-- when: symbols absent and random absent
WITH days AS (
    SELECT session,
           COALESCE(LEAD(step) OVER (ORDER BY session) > step, FALSE) AS is_step_end
    FROM   (
        SELECT session,
               CASE $every
                   WHEN 'weekly'  THEN CAST(date_trunc('week', session) AS DATE)
                   WHEN 'monthly' THEN CAST(date_trunc('month', session) AS DATE)
                   ELSE CAST(date_trunc('quarter', session) AS DATE)
               END AS step
        FROM   sessions
        WHERE  session <= COALESCE($to, as_of())
    )
)
SELECT d.session,
       p.symbol
FROM   days d
-- A day on which the scan has no stock has one row without a symbol.
LEFT   JOIN scan_spells p
    ON  p.scan_name = $scan AND p.entered_on <= d.session AND (p.left_on IS NULL OR p.left_on > d.session)
WHERE  d.is_step_end
-- The spells reach back 63 sessions.
AND    d.session >= COALESCE(session_ago(62), d.session)
AND    d.session >= COALESCE($from, LEAST($to, as_of()) - 365)
ORDER  BY d.session, p.entered_on DESC, p.symbol

-- when: symbols absent and random present
SELECT session,
       symbol,
       adj_close,
       is_tradable
FROM   session_prices
WHERE  session = session_on($to)
UNION  ALL
-- The last closes of stocks that ceased to trade since the day that was read before: the loss of a delisting counts.
SELECT session,
       symbol,
       adj_close * cumulative_split_factor_now,
       FALSE
FROM   latest_bars
WHERE  session > $from
AND    session < session_on($to)
ORDER  BY symbol

-- when: symbols present
WITH bars AS (
    -- Volatilities look back on 63 sessions, so that bars begin before the first picks.
    SELECT p.symbol,
           p.session,
           p.price_segment,
           p.open,
           p.high,
           p.low,
           p.close,
           p.volume,
           p.cumulative_split_factor,
           CASE WHEN NOT p.market_cap_assumed THEN p.market_cap END AS market_cap
    FROM   daily_prices p
    WHERE  array_has($symbols, p.symbol)
    AND    p.session >= COALESCE($from, COALESCE($to, as_of()) - 365) - 110
    AND    p.session <= COALESCE($to, as_of())
),
-- A bar that hit both limits has two rows.
hits AS (
    SELECT symbol, session, direction, limit_price
    FROM   limit_hits
    WHERE  array_has($symbols, symbol)
)
SELECT s.session,
       n.benchmark,
       n.benchmark_close,
       b.symbol,
       b.price_segment,
       b.open,
       b.high,
       b.low,
       b.close,
       b.volume,
       b.cumulative_split_factor,
       b.market_cap,
       h.direction,
       h.limit_price,
       CAST(NULL AS DOUBLE) AS dividend
FROM   sessions s
LEFT   JOIN benchmark n ON n.session = s.session
LEFT   JOIN bars b ON b.session = s.session
LEFT   JOIN hits h ON h.symbol = b.symbol AND h.session = b.session
WHERE  s.session >= COALESCE($from, COALESCE($to, as_of()) - 365) - 110
AND    s.session <= COALESCE($to, as_of())
UNION  ALL
SELECT ex_date, NULL, NULL, symbol, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, dividend
FROM   corporate_events
WHERE  array_has($symbols, symbol)
AND    dividend IS NOT NULL
AND    ex_date >= COALESCE($from, COALESCE($to, as_of()) - 365) - 110
AND    ex_date <= COALESCE($to, as_of())
ORDER  BY session, symbol, direction, dividend
