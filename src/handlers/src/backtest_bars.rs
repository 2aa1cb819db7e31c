//! The market of a back-test, from the rows of the operation's SELECT: bars, limits of price bands, dividends, market caps and the
//! benchmark.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use parquote_backtest::{
    BacktestError, BarLimits, CashDividend, Decision, MarketHistory, PricedStock, TradedBar,
};
use parquote_engine::AnswerRows;

/// The market of a back-test.
pub(super) struct TestedMarket {
    /// Sessions, bars and dividends.
    pub(super) history: MarketHistory,
    /// Closes of the benchmark, ascending by session.
    pub(super) benchmark: Vec<(NaiveDate, f64)>,
    /// Name of the benchmark; `None` if the market has none.
    pub(super) benchmark_name: Option<String>,
    /// Market caps of each stock, ascending by session.
    caps: BTreeMap<String, Vec<(NaiveDate, f64)>>,
}

/// Open, high, low, close and volume of a row; `None` for null.
type BarPrices = ((((Option<f64>, Option<f64>), Option<f64>), Option<f64>), Option<f64>);

/// The rows so far.
#[derive(Default)]
struct MarketRows {
    sessions: Vec<NaiveDate>,
    stocks: BTreeMap<String, Vec<TradedBar>>,
    dividends: Vec<CashDividend>,
    benchmark: Vec<(NaiveDate, f64)>,
    caps: BTreeMap<String, Vec<(NaiveDate, f64)>>,
}

impl TestedMarket {
    /// Converts rows, which are in the order of sessions. A session has a row for each bar, or one row without a symbol. A dividend has a
    /// row by its ex-date, which need not be a session.
    ///
    /// # Errors
    /// A bar has impossible prices.
    pub(super) fn from_rows(rows: &AnswerRows) -> Result<Self, BacktestError> {
        let mut market_rows = MarketRows::default();
        let number = |name: &str| rows.numbers(name).into_iter();
        let days = rows.dates("session").into_iter().zip(rows.texts("symbol"));
        let prices = number("open").zip(number("high")).zip(number("low")).zip(number("close"));
        let prices = prices.zip(number("volume"));
        let factors = number("cumulative_split_factor").zip(number("price_segment"));
        let limits = rows.texts("direction").into_iter().zip(number("limit_price"));
        let others = number("dividend").zip(number("benchmark_close")).zip(number("market_cap"));
        for ((((day, prices), factors), limit), others) in
            days.zip(prices).zip(factors).zip(limits).zip(others)
        {
            let ((dividend, benchmark), cap) = others;
            let (Some(date), symbol) = day else { continue };
            if let Some(amount) = dividend {
                market_rows.dividends.extend(symbol.map(|symbol| CashDividend {
                    symbol,
                    ex_date: date,
                    amount,
                }));
                continue;
            }
            market_rows.begin_session(date, benchmark);
            let Some(symbol) = symbol else { continue };
            if let Some(bar) = market_rows.bar(prices, factors, limit) {
                market_rows.add_bar(symbol, bar, cap.map(|cap| (date, cap)));
            }
        }
        let stocks =
            market_rows.stocks.into_iter().map(|(symbol, bars)| PricedStock { symbol, bars }).collect();
        Ok(Self {
            history: MarketHistory::new(market_rows.sessions, stocks, &market_rows.dividends)?,
            benchmark: market_rows.benchmark,
            benchmark_name: rows.last_text("benchmark"),
            caps: market_rows.caps,
        })
    }

    /// Sets the weights of picks to the last market cap that was known on their day; `None` if none was known.
    pub(super) fn weigh_by_cap(&self, decisions: &mut [Decision]) {
        for decision in decisions {
            let date = decision.date;
            for pick in &mut decision.picks {
                let caps = self.caps.get(&pick.symbol).map_or(&[][..], Vec::as_slice);
                let known = caps.partition_point(|(session, _)| *session <= date);
                pick.weight = known.checked_sub(1).and_then(|at| caps.get(at)).map(|(_, cap)| *cap);
            }
        }
    }
}

impl MarketRows {
    fn begin_session(&mut self, date: NaiveDate, benchmark: Option<f64>) {
        if self.sessions.last() != Some(&date) {
            self.sessions.push(date);
            self.benchmark.extend(benchmark.map(|close| (date, close)));
        }
    }

    /// Builds the bar of the last session; `None` if a price is missing.
    fn bar(
        &self,
        ((((open, high), low), close), volume): BarPrices,
        (factor, segment): (Option<f64>, Option<f64>),
        (direction, limit): (Option<String>, Option<f64>),
    ) -> Option<TradedBar> {
        let (open, low, close) = (open?, low?, close?);
        let at = |name: &str| limit.filter(|_| direction.as_deref() == Some(name));
        Some(TradedBar {
            session: u32::try_from(self.sessions.len().checked_sub(1)?).ok()?,
            price_segment: segment? as u16,
            limits: BarLimits::from_prices(open, low, close, at("upper"), at("lower")),
            open,
            high: high?,
            low,
            close,
            volume: volume?,
            factor: factor?,
        })
    }

    /// Adds a bar. A second row of the same bar only adds another price limit.
    fn add_bar(&mut self, symbol: String, bar: TradedBar, cap: Option<(NaiveDate, f64)>) {
        let bars = match self.stocks.get_mut(&symbol) {
            Some(bars) => bars,
            None => self.stocks.entry(symbol.clone()).or_default(),
        };
        if let Some(last) = bars.last_mut().filter(|last| last.session == bar.session) {
            last.limits = last.limits.union(bar.limits);
            return;
        }
        bars.push(bar);
        if let Some(cap) = cap {
            self.caps.entry(symbol).or_default().push(cap);
        }
    }
}
