//! Markets for tests: rows as a table would have them, and random markets with splits, jumps, gaps, limits, dividends and delistings.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};

use crate::{BarLimits, CashDividend, CostSchedule, Decision, MarketHistory, Pick, PricedStock, TradedBar};

/// A row of a bar table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RawBar {
    pub(super) symbol: String,
    pub(super) day: usize,
    pub(super) open: f64,
    pub(super) high: f64,
    pub(super) low: f64,
    pub(super) close: f64,
    pub(super) volume: f64,
    pub(super) factor: f64,
    pub(super) segment: u16,
    pub(super) upper: Option<f64>,
    pub(super) lower: Option<f64>,
}

/// A market as rows.
#[derive(Debug, Clone, Default)]
pub(super) struct RawMarket {
    pub(super) days: Vec<NaiveDate>,
    pub(super) bars: Vec<RawBar>,
    pub(super) dividends: Vec<CashDividend>,
}

/// A random generator for tests: a linear congruential generator (Knuth's MMIX), which the crate does not use.
pub(super) struct TestNumbers(pub(super) u64);

impl TestNumbers {
    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.unit() * bound as f64) as usize
    }

    pub(super) fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

/// Returns the n-th weekday from Monday 2 January 2023 on.
pub(super) fn weekday(number: usize) -> NaiveDate {
    let monday = NaiveDate::from_ymd_opt(2023, 1, 2).unwrap();
    monday.checked_add_days(Days::new((number / 5 * 7 + number % 5) as u64)).unwrap()
}

/// Returns the decisions without the stocks that have no bar in the last five sessions: the error of a test on survivors alone.
pub(super) fn only_survivors(history: &MarketHistory, decisions: &[Decision]) -> Vec<Decision> {
    let end = history.sessions().len().saturating_sub(1);
    let survives = |symbol: &str| {
        let last = history.stock(symbol).and_then(|stock| history.bar_until(stock, end));
        last.is_some_and(|bar| bar.session as usize + 5 > end)
    };
    let without_others = decisions.iter().map(|decision| Decision {
        date: decision.date,
        picks: decision.picks.iter().filter(|pick| survives(&pick.symbol)).cloned().collect(),
    });
    without_others.collect()
}

impl RawMarket {
    /// Returns a market of `count` weekdays without bars.
    pub(super) fn of_days(count: usize) -> Self {
        Self { days: (0..count).map(weekday).collect(), ..Self::default() }
    }

    /// Adds bars with these (open, close) prices from day 0 on: a large volume, no splits, no limits.
    pub(super) fn with_prices(mut self, symbol: &str, prices: &[(f64, f64)]) -> Self {
        for (day, &(open, close)) in prices.iter().enumerate() {
            self.bars.push(RawBar {
                symbol: symbol.to_owned(),
                day,
                open,
                high: open.max(close),
                low: open.min(close),
                close,
                volume: 1e9,
                factor: 1.0,
                segment: 0,
                upper: None,
                lower: None,
            });
        }
        self
    }

    /// Adds a dividend.
    pub(super) fn with_dividend(mut self, symbol: &str, day: usize, amount: f64) -> Self {
        let ex_date = self.days[day];
        self.dividends.push(CashDividend { symbol: symbol.to_owned(), ex_date, amount });
        self
    }

    /// Returns the row of a stock and day.
    pub(super) fn row(&mut self, symbol: &str, day: usize) -> &mut RawBar {
        self.bars.iter_mut().find(|bar| bar.symbol == symbol && bar.day == day).unwrap()
    }

    /// Returns the market without the days from `days` on.
    pub(super) fn truncated(&self, days: usize) -> Self {
        let mut cut = self.clone();
        cut.days.truncate(days);
        cut.bars.retain(|bar| bar.day < days);
        cut
    }

    pub(super) fn history(&self) -> MarketHistory {
        let mut stocks: BTreeMap<&str, Vec<TradedBar>> = BTreeMap::new();
        let mut rows: Vec<&RawBar> = self.bars.iter().collect();
        rows.sort_by_key(|row| row.day);
        for row in rows {
            stocks.entry(&row.symbol).or_default().push(TradedBar {
                session: row.day as u32,
                price_segment: row.segment,
                limits: BarLimits::from_prices(row.open, row.low, row.close, row.upper, row.lower),
                open: row.open,
                high: row.high,
                low: row.low,
                close: row.close,
                volume: row.volume,
                factor: row.factor,
            });
        }
        let stocks = stocks.into_iter().map(|(symbol, bars)| PricedStock { symbol: symbol.to_owned(), bars });
        MarketHistory::new(self.days.clone(), stocks.collect(), &self.dividends).unwrap()
    }

    /// Returns a random market, with splits, jumps, gaps, limits and delistings.
    pub(super) fn random(seed: u64, days: usize, stocks: usize) -> Self {
        let mut numbers = TestNumbers(seed);
        let mut market = Self::of_days(days);
        for stock in 0..stocks {
            market.add_random_stock(&format!("S{stock:02}"), &mut numbers);
        }
        market
    }

    fn add_random_stock(&mut self, symbol: &str, numbers: &mut TestNumbers) {
        let days = self.days.len();
        let first = if numbers.happens(0.2) { numbers.below(days / 2) } else { 0 };
        let last = if numbers.happens(0.25) { first + numbers.below(days - first) } else { days };
        // `value` is the price of a base share, which splits do not change.
        let (mut value, mut factor, mut segment, mut before) = (20.0 + 400.0 * numbers.unit(), 1.0, 0, None);
        let mut day = first;
        while day < last {
            if numbers.happens(0.004) {
                // A suspension of 1 to 90 sessions; after more than 60, a new price segment begins.
                day += 1 + numbers.below(90);
                if before.is_some_and(|(last_day, _): (usize, f64)| day - last_day > 60) {
                    segment += 1;
                }
                continue;
            }
            if numbers.happens(0.008) {
                factor *= [2.0, 5.0, 10.0, 1.5, 0.1][numbers.below(5)];
            }
            if numbers.happens(0.003) && before.is_some_and(|(last_day, _)| day - last_day <= 60) {
                // An unexplained jump.
                value *= 0.3 + 3.0 * numbers.unit();
                segment += 1;
            }
            let open = value * (0.97 + 0.06 * numbers.unit());
            value = open * (0.95 + 0.1005 * numbers.unit());
            let (open, close) = (open / factor, value / factor);
            let idle = numbers.happens(0.02);
            let volume = if idle { 0.0 } else { (2_000.0 + 50_000.0 * numbers.unit()) * factor };
            let limit_at = |price: f64, hit: bool| hit.then_some(price);
            let pick = if numbers.happens(0.5) { open } else { close };
            let (upper, lower) =
                (limit_at(pick, numbers.happens(0.04)), limit_at(pick, numbers.happens(0.04)));
            // A bar with a lower limit opens or closes at the limit.
            let beyond = TestNumbers(open.to_bits()).unit() * 0.03;
            let high = open.max(close) * (1.0 + beyond);
            let low = open.min(close) * if lower.is_some() { 1.0 } else { 1.0 - beyond };
            let symbol = symbol.to_owned();
            if numbers.happens(0.01) {
                let (ex_date, amount) = (self.days[day], close * 0.03 * numbers.unit());
                self.dividends.push(CashDividend { symbol: symbol.clone(), ex_date, amount });
            }
            self.bars.push(RawBar {
                symbol,
                day,
                open,
                high,
                low,
                close,
                volume,
                factor,
                segment,
                upper,
                lower,
            });
            before = Some((day, close));
            day += 1;
        }
    }

    /// Returns random picks every few days, some of them of an unknown symbol.
    pub(super) fn random_picks(&self, seed: u64, every: usize, top: usize, stocks: usize) -> Vec<Decision> {
        let mut numbers = TestNumbers(seed ^ 0xabcd);
        let days = (2..self.days.len()).step_by(every);
        days.map(|day| {
            let mut symbols: Vec<String> = (0..stocks).map(|stock| format!("S{stock:02}")).collect();
            let mut picks = Vec::new();
            for _ in 0..=numbers.below(top) {
                let symbol = symbols.swap_remove(numbers.below(symbols.len()));
                picks.push(Pick { symbol, weight: Some(numbers.unit() / top as f64) });
            }
            if numbers.happens(0.1) {
                picks.push(Pick { symbol: "UNKNOWN".to_owned(), weight: Some(0.0) });
            }
            Decision { date: self.days[day], picks }
        })
        .collect()
    }
}

/// Returns a decision whose picks have no weights.
pub(super) fn decision(day: usize, symbols: &[&str]) -> Decision {
    let picks = symbols.iter().map(|symbol| Pick { symbol: (*symbol).to_owned(), weight: None });
    Decision { date: weekday(day), picks: picks.collect() }
}

/// A schedule whose sums can be done by hand: 0.2 % on purchases, 0.1 % on sales, and a fifth of that as a tax on both.
pub(super) fn plain_costs() -> CostSchedule {
    CostSchedule::parse(
        "
        [[charges]]
        name = 'fee'
        side = 'buy'
        from = '2000-01-01'
        pct = 0.2
        [[charges]]
        name = 'fee'
        side = 'sell'
        from = '2000-01-01'
        pct = 0.1
        [[charges]]
        name = 'tax'
        side = 'both'
        from = '2000-01-01'
        pct = 20
        percent_of = ['fee']
        ",
    )
    .unwrap()
}
