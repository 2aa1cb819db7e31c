//! Decides whether the evidence of a run supports a number in a text.

use super::parts::{Letters, is_among};
use super::run_evidence::RunEvidence;
use super::seen_figure::{FigureKind, SeenFigure};
use super::written::{NumberUnit, WrittenNumber};

/// Numbers in the names of market indices, such as the 50 of `NIFTY 50`.
const INDEX_SIZES: [u32; 13] = [30, 40, 50, 100, 150, 200, 225, 250, 400, 500, 600, 1_000, 2_000];
const INDEX_WORDS: &str = "nifty nasdaq russell dow bse nse ftse sensex midcap smallcap largemidcap next p";
/// Words that turn a duration before them into the name of a figure: the 200 of a 200-day average is not a claim.
const FIGURE_WORDS: &str = "ema sma dma ma moving average averages exponential simple high low highs lows \
    range rsi trend";
/// Words before a number that make it the name of a figure.
const INDICATORS: &str = "ema sma dma rsi rvol roc atr ma";
/// Words before a number that make it a label: `Risk 2`, `Tier 1`, `Form 4`.
const LABELS: &str = "finding risk step point reason item note scenario case question no lens gate phase \
    tier basel form section regulation schedule";
/// Upper ends of scales of ratings: 87 of 99, 8/10.
const SCALES: [u32; 6] = [5, 8, 9, 10, 99, 100];
/// Words before a number that make it a limit.
const BOUNDS: &str = "above below over under least most than minimum maximum min max threshold beyond \
    exceeding";

impl RunEvidence {
    /// Returns true if a figure, name, input or date of the run supports a number, in its unit or that of its range.
    pub(super) fn supports(&self, number: &WrittenNumber, letters: &Letters) -> bool {
        let is_supported = |unit: NumberUnit| {
            self.figures.iter().any(|figure| figure.is_written(number, unit))
                || self.is_named(number, unit, letters)
                || self.is_in_request(number, unit, letters)
        };
        let year =
            number.may_be_year && self.calendar.contains(super::calendar::Moment::Year(number.value as i32));
        year || is_supported(number.unit)
            || number.range_unit.is_some_and(is_supported)
            || self.is_split(number, letters)
    }

    /// Returns true if the number names a figure or an index, or counts items of the report.
    fn is_named(&self, number: &WrittenNumber, unit: NumberUnit, letters: &Letters) -> bool {
        let Some(integer) = number.as_unsigned_integer() else { return false };
        let before = words_before(letters, number.start);
        let after = words_after(letters, number.unit_end);
        let is_before = |words: &str| after.iter().take(2).any(|word| is_among(words, word));
        let is_after = |words: &str| before.first().is_some_and(|word| is_among(words, word));
        match unit {
            NumberUnit::Duration => {
                self.field_numbers.contains(&integer) || (integer <= 999 && is_before(FIGURE_WORDS))
            }
            NumberUnit::None | NumberUnit::Ordinal => {
                (unit == NumberUnit::None && self.counts.contains(&integer) && !number.is_money)
                    || is_scale(number, integer, letters)
                    || (is_after("top") && integer <= 100)
                    || ((is_after(LABELS) || letters.char_before(number.start) == '#') && integer <= 99)
                    || (is_after(INDICATORS)
                        && letters.char_before(number.start) == '('
                        && letters.char_at(number.end) == ')')
                    || (is_after(INDEX_WORDS) && INDEX_SIZES.contains(&integer) && !number.is_money)
                    || (self.field_numbers.contains(&integer)
                        && (is_after(INDICATORS) || is_before(INDICATORS)))
            }
            _ => false,
        }
    }

    /// Returns true if the number is in the caller's goal or an argument of a call: a length of time, or a limit of a screen.
    fn is_in_request(&self, number: &WrittenNumber, unit: NumberUnit, letters: &Letters) -> bool {
        let is_equal = |value: f64| (value - number.value.abs()).abs() < 1e-9;
        let is_goal_time =
            unit == NumberUnit::Duration && self.goal_numbers.iter().any(|value| is_equal(*value));
        let has_bound = words_before(letters, number.start).iter().take(4).any(|word| is_among(BOUNDS, word));
        let has_bound = has_bound || matches!(letters.char_before(number.start), '<' | '>' | '=');
        let is_argument = |(name, value): &(String, f64)| {
            let of_bound = name.starts_with("min_") || name.starts_with("max_");
            is_equal(*value)
                && if of_bound { has_bound } else { *value <= 366.0 && unit == NumberUnit::Duration }
        };
        is_goal_time || self.arguments.iter().any(is_argument)
    }

    /// Returns true if the number is one side of a split such as `1:5` whose factor the run saw.
    fn is_split(&self, number: &WrittenNumber, letters: &Letters) -> bool {
        let Some(integer) = number.as_unsigned_integer().filter(|integer| *integer > 0) else { return false };
        let other = if letters.char_at(number.end) == ':' {
            letters.slice(number.end + 1, number.end + 4)
        } else if letters.char_before(number.start) == ':' {
            let before = letters.slice(number.start.saturating_sub(4), number.start - 1);
            before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default().to_owned()
        } else {
            return false;
        };
        let digits: String = other.chars().take_while(char::is_ascii_digit).collect();
        let Some(other) = digits.parse::<f64>().ok().filter(|other| *other > 0.0) else { return false };
        let this = f64::from(integer);
        let factors = [this / other, other / this, this / (this + other), other / (this + other)];
        let is_factor_field =
            |figure: &SeenFigure| figure.field.contains("factor") || figure.field.contains("ratio");
        let has_factor = |figure: &SeenFigure| {
            figure.number.is_some_and(|number| factors.iter().any(|f| (f - number).abs() < 0.005))
        };
        self.figures.iter().any(|figure| is_factor_field(figure) && has_factor(figure))
    }
}

impl WrittenNumber {
    /// Returns the number if it is an integer that is written without a sign.
    pub(super) fn as_unsigned_integer(&self) -> Option<u32> {
        let is_unsigned_integer = !self.is_signed && self.decimals == 0 && self.value <= f64::from(u32::MAX);
        is_unsigned_integer.then_some(self.value as u32)
    }
}

impl SeenFigure {
    /// Returns true if the number, in a unit, equals this cell to its written precision.
    fn is_written(&self, number: &WrittenNumber, unit: NumberUnit) -> bool {
        let Some(value) = self.number else { return false };
        let equal = |value: f64| {
            let (value, stated) =
                if number.is_signed { (value, number.value) } else { (value.abs(), number.value.abs()) };
            (value - stated).abs() <= number.tolerance * (1.0 + 1e-9) + 1e-9 * stated.abs()
        };
        match (unit, self.kind) {
            (NumberUnit::Percent | NumberUnit::BasisPoints | NumberUnit::Times, FigureKind::Money(_))
            | (NumberUnit::Scale(_), FigureKind::Percent) => false,
            (NumberUnit::Percent, FigureKind::Other) => equal(value) || equal(value * 100.0),
            (NumberUnit::BasisPoints, FigureKind::Percent) => equal(value * 100.0),
            (NumberUnit::BasisPoints, FigureKind::Other) => equal(value * 100.0) || equal(value * 1e4),
            (NumberUnit::Times, _) => equal(value) || equal(value / 100.0),
            (NumberUnit::Scale(stated), FigureKind::Money(scale)) => equal(value * scale / stated),
            (NumberUnit::Scale(stated), FigureKind::Other) => equal(value / stated) || equal(value),
            (NumberUnit::None, FigureKind::Money(scale)) => equal(value) || equal(value * scale),
            // A single bare digit must match exactly; as a rounded figure, some cell of a run would match it by chance.
            (NumberUnit::None, _)
                if number.as_unsigned_integer().is_some_and(|integer| integer < 10) && !number.is_money =>
            {
                equal(value) && value.fract() == 0.0
            }
            (NumberUnit::None, _) | (NumberUnit::Percent, FigureKind::Percent) => equal(value),
            // Counts are integers: a growth of 11.8 does not support 12 months.
            (NumberUnit::Duration | NumberUnit::Ordinal, FigureKind::Other) => {
                equal(value) && value.fract() == 0.0
            }
            (NumberUnit::Duration | NumberUnit::Ordinal, _) => false,
        }
    }
}

/// Returns true if a number is the end of a scale: `87/99`, `7 out of 10`, `on a scale of 1-99`.
fn is_scale(number: &WrittenNumber, integer: u32, letters: &Letters) -> bool {
    let before = words_before(letters, number.start);
    let word = |n: usize| before.get(n).map(String::as_str).unwrap_or_default();
    let is_fraction =
        letters.char_before(number.start) == '/' && letters.char_before(number.start - 1).is_ascii_digit();
    let is_out_of = word(0) == "of" && word(1) == "out";
    let has_scale = before.iter().any(|word| word == "scale");
    (SCALES.contains(&integer) && (is_fraction || is_out_of || has_scale)) || (has_scale && integer <= 1)
}

/// Returns up to four words before a position, nearest first.
fn words_before(letters: &Letters, index: usize) -> Vec<String> {
    split_words(&letters.slice(index.saturating_sub(40), index)).rev().take(4).collect()
}

/// Returns up to three words after a position.
fn words_after(letters: &Letters, index: usize) -> Vec<String> {
    split_words(&letters.slice(index, index + 40)).take(3).collect()
}

fn split_words(text: &str) -> impl DoubleEndedIterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned)
}
