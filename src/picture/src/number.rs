//! Numbers in the style of their market: crores and lakhs for rupees, millions and billions for dollars.
//!
//! Formatting only; drawn positions are never rounded here. A minus is U+2212; a number that rounds to 0 has no sign.

use parquote_catalogue::digits::{self, DigitGroups};

/// Currency of a market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarketCurrency {
    /// Digits in groups of 2 above the thousands; lakhs and crores.
    Rupee,
    /// Digits in groups of 3; millions and billions.
    Dollar,
}

impl MarketCurrency {
    const fn digit_groups(self) -> DigitGroups {
        match self {
            Self::Rupee => DigitGroups::Lakhs,
            Self::Dollar => DigitGroups::Thousands,
        }
    }

    const fn sign(self) -> &'static str {
        match self {
            Self::Rupee => "₹",
            Self::Dollar => "$",
        }
    }
}

/// Unit of a column's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NumberForm {
    /// No unit: ratios, ratings, scores, points.
    #[default]
    Plain,
    /// A number of things, such as shares or companies.
    Count,
    /// Percent: 15 is 15%.
    Percent,
    /// The price of a share, or the level of an index.
    Price,
    /// Whole units of the currency.
    Money,
    /// Crores (10^7) of rupees.
    Crore,
    /// Millions of dollars.
    Million,
    /// Billions (10^9) of dollars.
    Billion,
}

/// Format of single figures in readings: texts around the digits, decimals, and a plus before gains if `is_signed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadingForm {
    pub before: &'static str,
    pub decimals: usize,
    pub after: &'static str,
    pub is_signed: bool,
}

impl ReadingForm {
    pub(super) fn write(&self, value: f64, currency: MarketCurrency) -> String {
        let Self { before, decimals, after, is_signed } = *self;
        let text = format_signed(value, decimals, before, currency);
        let is_gain = is_signed && value > 0.0 && text.chars().any(|c| ('1'..='9').contains(&c));
        format!("{}{text}{after}", if is_gain { "+" } else { "" })
    }
}

const LAKH_CRORE: f64 = 1e12;
const CRORE: f64 = 1e7;

impl NumberForm {
    /// Returns the number of base units in one unit: 10^7 in a crore.
    const fn base_units(self) -> f64 {
        match self {
            Self::Crore => CRORE,
            Self::Million => 1e6,
            Self::Billion => 1e9,
            Self::Plain | Self::Count | Self::Percent | Self::Price | Self::Money => 1.0,
        }
    }

    const fn currency(self, market: MarketCurrency) -> MarketCurrency {
        match self {
            Self::Crore => MarketCurrency::Rupee,
            Self::Million | Self::Billion => MarketCurrency::Dollar,
            _ => market,
        }
    }

    /// Returns the format for readings: all numbers of a column in its unit, with the same decimals.
    pub(super) const fn reading_form(self, market: MarketCurrency) -> ReadingForm {
        let before = if self.is_money() { self.currency(market).sign() } else { "" };
        let (decimals, after) = match self {
            Self::Plain | Self::Price => (2, ""),
            Self::Count | Self::Money => (0, ""),
            Self::Percent => (1, "%"),
            Self::Crore => (2, " cr"),
            Self::Million => (2, " M"),
            Self::Billion => (2, " B"),
        };
        ReadingForm { before, decimals, after, is_signed: false }
    }

    const fn is_money(self) -> bool {
        matches!(self, Self::Money | Self::Crore | Self::Million | Self::Billion)
    }
}

/// Formats a number with its unit: `₹1.24 lakh cr`, `$3.1 B`, `12.5%`.
pub fn format_number(value: f64, form: NumberForm, market: MarketCurrency) -> String {
    let currency = form.currency(market);
    let units = value * form.base_units();
    match form {
        NumberForm::Percent => format!("{}%", format_grouped(value, decimals_of(value).min(1), currency)),
        NumberForm::Price => {
            let decimals = if value.abs() < 100_000.0 { 2 } else { 0 };
            format_signed(value, decimals, currency.sign(), currency)
        }
        _ if form.is_money() || form == NumberForm::Count => {
            let scale = large_unit_of(units.abs(), form, currency);
            let sign = if form.is_money() { currency.sign() } else { "" };
            let scaled = units / scale.divisor;
            let is_whole = scale.divisor <= 1.0 && matches!(form, NumberForm::Count | NumberForm::Money);
            let decimals = if is_whole { 0 } else { decimals_of(scaled) };
            format!("{}{}", format_signed(scaled, decimals, sign, currency), scale.short)
        }
        _ => format_grouped(value, decimals_of(value), currency),
    }
}

/// Formats a change in percent, always signed: `+1.2%`, `−0.4%`, `0.0%`.
pub(super) fn signed_percent(value: f64, currency: MarketCurrency) -> String {
    let text = format!("{}%", format_grouped(value, usize::from(value.abs() < 100.0), currency));
    let is_gain = value > 0.0 && text.chars().any(|c| ('1'..='9').contains(&c));
    if is_gain { format!("+{text}") } else { text }
}

/// Format of the numbers along an axis: all in one unit, which the title of the pane names.
#[derive(Debug, Clone, Copy)]
pub(super) struct AxisNumbers {
    divisor: f64,
    decimals: usize,
    suffix: &'static str,
    currency: MarketCurrency,
    /// The unit, such as `₹ crore` or `$ million`; empty if there is none.
    pub unit: &'static str,
}

impl AxisNumbers {
    /// Builds the format for numbers up to `largest` (its sign does not matter), `step` apart.
    pub(super) fn new(form: NumberForm, market: MarketCurrency, largest: f64, step: f64) -> Self {
        let currency = form.currency(market);
        let units = largest.abs() * form.base_units();
        let mut numbers = Self { divisor: 1.0, decimals: 0, suffix: "", currency, unit: "" };
        match form {
            NumberForm::Percent => numbers.suffix = "%",
            NumberForm::Price => numbers.unit = currency.sign(),
            NumberForm::Plain => {}
            _ => {
                let scale = large_unit_of(units, form, currency);
                numbers.divisor = scale.divisor / form.base_units();
                numbers.unit = if form.is_money() { scale.money } else { scale.count };
            }
        }
        numbers.decimals = step_decimals(step / numbers.divisor);
        numbers
    }

    pub(super) fn write(&self, value: f64) -> String {
        format!("{}{}", format_grouped(value / self.divisor, self.decimals, self.currency), self.suffix)
    }

    /// Formats a number in the unit of the axis, with three significant digits.
    pub(super) fn figure(&self, value: f64) -> String {
        let scaled = value / self.divisor;
        format!("{}{}", format_grouped(scaled, decimals_of(scaled), self.currency), self.suffix)
    }
}

struct LargeUnit {
    divisor: f64,
    /// Suffix of a number, such as ` cr`.
    short: &'static str,
    /// Unit in the title of a pane with money, such as `₹ crore`.
    money: &'static str,
    /// Unit in the title of a pane with counts, such as `crore`.
    count: &'static str,
}

const fn large_unit(
    divisor: f64,
    short: &'static str,
    money: &'static str,
    count: &'static str,
) -> LargeUnit {
    LargeUnit { divisor, short, money, count }
}

fn large_unit_of(units: f64, form: NumberForm, currency: MarketCurrency) -> LargeUnit {
    match currency {
        MarketCurrency::Rupee if form == NumberForm::Crore && units < LAKH_CRORE => {
            large_unit(CRORE, " cr", "₹ crore", "crore")
        }
        MarketCurrency::Rupee if units >= LAKH_CRORE => {
            large_unit(LAKH_CRORE, " lakh cr", "₹ lakh crore", "lakh crore")
        }
        MarketCurrency::Rupee if units >= CRORE => large_unit(CRORE, " cr", "₹ crore", "crore"),
        MarketCurrency::Rupee if units >= 1e5 => large_unit(1e5, " lakh", "₹ lakh", "lakh"),
        MarketCurrency::Dollar if units >= 1e12 => large_unit(1e12, " T", "$ trillion", "trillion"),
        MarketCurrency::Dollar if units >= 1e9 => large_unit(1e9, " B", "$ billion", "billion"),
        MarketCurrency::Dollar if units >= 1e6 => large_unit(1e6, " M", "$ million", "million"),
        MarketCurrency::Dollar if units >= 1e5 => large_unit(1e3, " K", "$ thousand", "thousand"),
        MarketCurrency::Rupee => large_unit(1.0, "", "₹", ""),
        MarketCurrency::Dollar => large_unit(1.0, "", "$", ""),
    }
}

/// Returns the decimals of a number shown alone: three significant digits, but at most two decimals.
fn decimals_of(value: f64) -> usize {
    match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    }
}

/// Returns the decimals that distinguish two numbers `step` apart, for steps of 1, 2 and 5 times a power of ten.
fn step_decimals(step: f64) -> usize {
    if step > 0.0 && step.is_finite() {
        (-(step.log10() + 1e-9).floor()).clamp(0.0, 30.0) as usize
    } else {
        0
    }
}

fn format_signed(value: f64, decimals: usize, sign: &str, currency: MarketCurrency) -> String {
    let text = format_grouped(value, decimals, currency);
    match text.strip_prefix('−') {
        Some(digits) => format!("−{sign}{digits}"),
        None => format!("{sign}{text}"),
    }
}

/// Formats a number with grouped digits; in scientific notation from 10^15 on, and if it needs more than six decimals.
pub fn format_grouped(value: f64, decimals: usize, currency: MarketCurrency) -> String {
    const MOST_DECIMALS: usize = 6;
    if value.abs() >= 1e15 || (decimals > MOST_DECIMALS && value != 0.0) {
        return format!("{value:.2e}").replace('-', "−");
    }
    let decimals = decimals.min(MOST_DECIMALS);
    let digits = format!("{:.decimals$}", value.abs());
    let is_below_zero = value < 0.0 && digits.bytes().any(|digit| digit.is_ascii_digit() && digit != b'0');
    let sign = if is_below_zero { "−" } else { "" };
    format!("{sign}{}", digits::group_digits(&digits, currency.digit_groups()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_as_the_market_does() {
        assert_eq!(format_grouped(1_234_567.891, 2, MarketCurrency::Rupee), "12,34,567.89");
        assert_eq!(format_grouped(1_234_567.891, 1, MarketCurrency::Dollar), "1,234,567.9");
        assert_eq!(format_grouped(-999.0, 0, MarketCurrency::Rupee), "−999");
        assert_eq!(format_grouped(-0.001, 2, MarketCurrency::Rupee), "0.00");
        assert_eq!(format_grouped(100_000.0, 0, MarketCurrency::Rupee), "1,00,000");
        assert_eq!(format_grouped(3e18, 0, MarketCurrency::Dollar), "3.00e18");
        assert_eq!(format_grouped(2e-9, 9, MarketCurrency::Dollar), "2.00e−9");
    }

    #[test]
    fn amounts_have_their_unit() {
        let rupees = |value, form| format_number(value, form, MarketCurrency::Rupee);
        let dollars = |value, form| format_number(value, form, MarketCurrency::Dollar);
        assert_eq!(rupees(12_345.0, NumberForm::Crore), "₹12,345 cr");
        assert_eq!(rupees(123_456.0, NumberForm::Crore), "₹1.23 lakh cr");
        assert_eq!(rupees(-0.5, NumberForm::Crore), "−₹0.50 cr");
        assert_eq!(rupees(25_000_000.0, NumberForm::Money), "₹2.50 cr");
        assert_eq!([0.0, -57.1, 12.6].map(|value| rupees(value, NumberForm::Money)), ["₹0", "−₹57", "₹13"]);
        assert_eq!(dollars(1_234.0, NumberForm::Million), "$1.23 B");
        assert_eq!(dollars(-34.5, NumberForm::Million), "−$34.5 M");
        assert_eq!(dollars(3_100.0, NumberForm::Billion), "$3.10 T");
        assert_eq!(dollars(1_234.5, NumberForm::Price), "$1,234.50");
        assert_eq!(rupees(1_234_567.0, NumberForm::Count), "12.3 lakh");
        assert_eq!(dollars(12.0, NumberForm::Count), "12");
        assert_eq!(rupees(56.78, NumberForm::Percent), "56.8%");
    }

    #[test]
    fn a_change_shows_its_sign() {
        assert_eq!(signed_percent(1.24, MarketCurrency::Rupee), "+1.2%");
        assert_eq!(signed_percent(-0.44, MarketCurrency::Rupee), "−0.4%");
        assert_eq!(signed_percent(0.01, MarketCurrency::Rupee), "0.0%");
        assert_eq!(signed_percent(-0.01, MarketCurrency::Rupee), "0.0%");
        assert_eq!(signed_percent(1_250.0, MarketCurrency::Rupee), "+1,250%");
    }

    #[test]
    fn an_axis_has_one_unit() {
        let axis = AxisNumbers::new(NumberForm::Crore, MarketCurrency::Rupee, 250_000.0, 50_000.0);
        assert_eq!((axis.write(150_000.0).as_str(), axis.unit), ("1.5", "₹ lakh crore"));
        let axis = AxisNumbers::new(NumberForm::Million, MarketCurrency::Dollar, 800.0, 200.0);
        assert_eq!((axis.write(-200.0).as_str(), axis.unit), ("−200", "$ million"));
        let axis = AxisNumbers::new(NumberForm::Price, MarketCurrency::Rupee, 3.0, 0.05);
        assert_eq!((axis.write(2.35).as_str(), axis.unit), ("2.35", "₹"));
        let axis = AxisNumbers::new(NumberForm::Percent, MarketCurrency::Rupee, 60.0, 20.0);
        assert_eq!(axis.write(40.0), "40%");
    }
}
