//! Bars of all stocks by session, checked once. The simulation reads its prices from them.
//!
//! Prices are as traded. The factor of a bar turns them into prices of base shares, which splits, bonuses and unexplained jumps do not
//! change.

use chrono::NaiveDate;

use super::costs::TradeSide;
use super::rules::FillTime;
use super::{BacktestError, LONGEST_GAP};

/// The bar of one stock in one session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TradedBar {
    /// Index of the session among all sessions.
    pub session: u32,
    /// Number of the price segment; a new segment begins where the price is not comparable with the bar before.
    pub price_segment: u16,
    /// The prices that were at a limit of the price band.
    pub limits: BarLimits,
    /// Opening price, as traded.
    pub open: f64,
    /// Highest price, as traded.
    pub high: f64,
    /// Lowest price, as traded.
    pub low: f64,
    /// Closing price, as traded.
    pub close: f64,
    /// Shares traded.
    pub volume: f64,
    /// Shares that one share of the first bar has become by splits and bonuses.
    pub factor: f64,
}

/// The prices of a bar that were at a limit of its price band.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BarLimits(u8);

/// One stock with its bars, ascending by session.
#[derive(Debug, Clone, PartialEq)]
pub struct PricedStock {
    /// Symbol of the stock, unique in the history.
    pub symbol: String,
    /// Bars, at most one per session.
    pub bars: Vec<TradedBar>,
}

/// A cash dividend of a stock.
#[derive(Debug, Clone, PartialEq)]
pub struct CashDividend {
    /// Symbol of the stock.
    pub symbol: String,
    /// First date without the entitlement.
    pub ex_date: NaiveDate,
    /// Amount for one share of the ex-date, after a split of the same date.
    pub amount: f64,
}

/// All sessions with the bars and dividends of all stocks.
#[derive(Debug, Clone, PartialEq)]
pub struct MarketHistory {
    sessions: Vec<NaiveDate>,
    stocks: Vec<PricedStock>,
    dividends: Vec<BaseDividend>,
}

/// A dividend of one base share, with the indices of its session and stock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BaseDividend {
    pub(super) session: usize,
    pub(super) stock: usize,
    pub(super) amount: f64,
}

impl BarLimits {
    /// Returns the prices of a bar that are at the limits; `upper` and `lower` are `None` for a session without limits.
    pub fn from_prices(open: f64, low: f64, close: f64, upper: Option<f64>, lower: Option<f64>) -> Self {
        // A difference of a millionth is a rounding error of the computed limit.
        let is_upper = |price: f64| upper.is_some_and(|limit| price >= limit * (1.0 - 1e-6));
        let is_lower = |price: f64| lower.is_some_and(|limit| price <= limit * (1.0 + 1e-6));
        let flags = [is_upper(open), is_upper(close), is_lower(open), is_lower(close), is_lower(low)];
        Self(flags.iter().enumerate().map(|(bit, is_set)| u8::from(*is_set) << bit).sum())
    }

    /// Returns the prices that are at a limit in at least one of two bars.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns true if an order of this side has no counterparty at the fill price.
    pub(super) const fn is_locked(self, side: TradeSide, fill: FillTime) -> bool {
        let bit = match (side, fill) {
            (TradeSide::Buy, FillTime::Open) => 1,
            (TradeSide::Buy, FillTime::Close) => 2,
            (TradeSide::Sell, FillTime::Open) => 4,
            (TradeSide::Sell, FillTime::Close) => 8,
        };
        self.0 & bit != 0
    }

    /// Returns true if the lowest price was at the lower limit.
    pub(super) const fn is_low_at_limit(self) -> bool {
        self.0 & 16 != 0
    }
}

impl TradedBar {
    /// Returns the price at which orders fill, as traded.
    pub(super) const fn fill_price(&self, fill: FillTime) -> f64 {
        match fill {
            FillTime::Open => self.open,
            FillTime::Close => self.close,
        }
    }

    /// Returns the fill price of a base share.
    pub(super) const fn base_fill_price(&self, fill: FillTime) -> f64 {
        self.fill_price(fill) * self.factor
    }

    /// Returns the close of a base share.
    pub(super) const fn base_close(&self) -> f64 {
        self.close * self.factor
    }

    /// Returns true if no share was traded.
    pub(super) fn is_idle(&self) -> bool {
        self.volume <= 0.0
    }
}

impl PricedStock {
    /// Checks the bars, and folds unexplained jumps into their factors.
    fn check(mut self, sessions: &[NaiveDate]) -> Result<Self, BacktestError> {
        let mut before: Option<TradedBar> = None;
        let mut jump_factor = 1.0;
        for bar in &mut self.bars {
            let is_later = before.is_none_or(|before| before.session < bar.session);
            let Some(&session) = sessions.get(bar.session as usize).filter(|_| is_later) else {
                return Err(BacktestError::BarOrder(self.symbol));
            };
            check_values(&self.symbol, session, bar)?;
            if let Some(before) = before
                && bar.is_jump_from(&before)
            {
                jump_factor *= before.base_close() / (bar.open * bar.factor);
            }
            before = Some(*bar);
            bar.factor *= jump_factor;
        }
        Ok(self)
    }

    /// Returns the number of bars up to a session. Most stocks have a bar in nearly every session, so only a few bars are searched.
    fn count_until(&self, session: usize) -> usize {
        let (Some(first), Some(newest)) = (self.bars.first(), self.bars.last()) else { return 0 };
        let Some(offset) = session.checked_sub(first.session as usize) else { return 0 };
        let missing = (newest.session - first.session) as usize + 1 - self.bars.len();
        let most = (offset + 1).min(self.bars.len());
        let least = (offset + 1).saturating_sub(missing).min(most);
        let candidates = self.bars.get(least..most).unwrap_or_default();
        least + candidates.partition_point(|bar| bar.session as usize <= session)
    }
}

impl TradedBar {
    /// Returns true if the price jumped without an explanation since the previous bar.
    pub(super) const fn is_jump_from(&self, before: &Self) -> bool {
        self.price_segment != before.price_segment && self.session - before.session <= LONGEST_GAP
    }
}

fn check_values(symbol: &str, session: NaiveDate, bar: &TradedBar) -> Result<(), BacktestError> {
    let is_positive = |value: f64| value.is_finite() && value > 0.0;
    let checks = [
        ("the open", bar.open, is_positive(bar.open)),
        ("the high", bar.high, is_positive(bar.high)),
        ("the low", bar.low, is_positive(bar.low)),
        ("the close", bar.close, is_positive(bar.close)),
        ("the volume", bar.volume, bar.volume.is_finite() && bar.volume >= 0.0),
        ("the factor", bar.factor, is_positive(bar.factor)),
    ];
    match checks.into_iter().find(|(.., is_valid)| !is_valid) {
        Some((what, value, _)) => {
            Err(BacktestError::BarValue { symbol: symbol.to_owned(), session, what, value })
        }
        None => Ok(()),
    }
}

impl MarketHistory {
    /// Checks sessions and bars. Sessions ascend, stocks ascend by symbol, bars by session. Dividends may be in any order; those after the
    /// last session, of unknown stocks and of stocks without a bar yet are left out.
    ///
    /// # Errors
    /// [`BacktestError`]: the order of sessions, symbols or bars, and prices, factors, volumes or amounts that are not allowed.
    pub fn new(
        sessions: Vec<NaiveDate>,
        stocks: Vec<PricedStock>,
        dividends: &[CashDividend],
    ) -> Result<Self, BacktestError> {
        if let Some((_, late)) = sessions.iter().zip(sessions.iter().skip(1)).find(|(one, next)| one >= next)
        {
            return Err(BacktestError::SessionOrder(*late));
        }
        let pairs = stocks.iter().zip(stocks.iter().skip(1));
        if let Some((_, late)) = pairs.into_iter().find(|(one, next)| one.symbol >= next.symbol) {
            return Err(BacktestError::SymbolOrder(late.symbol.clone()));
        }
        let stocks = stocks.into_iter().map(|stock| stock.check(&sessions)).collect::<Result<Vec<_>, _>>()?;
        let mut history = Self { sessions, stocks, dividends: Vec::new() };
        let base_dividends =
            dividends.iter().map(|paid| history.base_dividend(paid)).collect::<Result<Vec<_>, _>>()?;
        history.dividends = base_dividends.into_iter().flatten().collect();
        // The sort is stable: two dividends of one stock and session keep their order.
        history.dividends.sort_by_key(|paid| (paid.session, paid.stock));
        Ok(history)
    }

    fn base_dividend(&self, paid: &CashDividend) -> Result<Option<BaseDividend>, BacktestError> {
        let CashDividend { symbol, ex_date, amount } = paid;
        if !amount.is_finite() || *amount < 0.0 {
            let symbol = symbol.clone();
            return Err(BacktestError::Dividend { symbol, ex_date: *ex_date, amount: *amount });
        }
        let session = self.sessions.partition_point(|session| session < ex_date);
        let stock = self.stock(symbol).filter(|_| session < self.sessions.len());
        let stock_and_factor = stock.and_then(|stock| Some((stock, self.bar_until(stock, session)?.factor)));
        Ok(stock_and_factor.map(|(stock, factor)| BaseDividend { session, stock, amount: amount * factor }))
    }

    /// Returns the sessions, ascending.
    pub fn sessions(&self) -> &[NaiveDate] {
        &self.sessions
    }

    pub(super) fn date(&self, session: usize) -> NaiveDate {
        self.sessions.get(session).copied().unwrap_or(NaiveDate::MAX)
    }

    /// Returns the last session at or before a date.
    pub(super) fn session_until(&self, date: NaiveDate) -> Option<usize> {
        self.sessions.partition_point(|session| *session <= date).checked_sub(1)
    }

    /// Returns the index of a stock.
    pub(super) fn stock(&self, symbol: &str) -> Option<usize> {
        self.stocks.binary_search_by(|stock| stock.symbol.as_str().cmp(symbol)).ok()
    }

    /// Returns the index of a stock as [`Self::stock`] does, but tries the index `guess` first.
    pub(super) fn stock_near(&self, symbol: &str, guess: usize) -> Option<usize> {
        let is_right = self.stocks.get(guess).is_some_and(|stock| stock.symbol == symbol);
        if is_right { Some(guess) } else { self.stock(symbol) }
    }

    pub(super) fn symbol(&self, stock: usize) -> &str {
        self.stocks.get(stock).map_or("", |stock| stock.symbol.as_str())
    }

    pub(super) fn bar(&self, stock: usize, session: usize) -> Option<&TradedBar> {
        self.bar_until(stock, session).filter(|bar| bar.session as usize == session)
    }

    /// Returns the last bar at or before a session.
    pub(super) fn bar_until(&self, stock: usize, session: usize) -> Option<&TradedBar> {
        let stock = self.stocks.get(stock)?;
        stock.bars.get(stock.count_until(session).checked_sub(1)?)
    }

    /// Returns the last bars at or before a session, at most `count` of them.
    pub(super) fn bars_until(&self, stock: usize, session: usize, count: usize) -> &[TradedBar] {
        let Some(stock) = self.stocks.get(stock) else { return &[] };
        let end = stock.count_until(session);
        stock.bars.get(end.saturating_sub(count)..end).unwrap_or_default()
    }

    /// Returns the dividends of the sessions from `first` to `last`, both included, in the order of sessions.
    pub(super) fn dividends_within(&self, first: usize, last: usize) -> &[BaseDividend] {
        let from = self.dividends.partition_point(|paid| paid.session < first);
        let to = self.dividends.partition_point(|paid| paid.session <= last);
        self.dividends.get(from..to).unwrap_or_default()
    }
}
