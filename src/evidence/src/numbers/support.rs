//! Decides whether the evidence of a run supports a number in a text.

use super::cell::{FigureKind, SeenFigure};
use super::parts::{Letters, is_among};
use super::run_evidence::RunEvidence;
use super::written::{NumberUnit, WrittenNumber};

/// Numbers that follow a word of an index's name, as in its full name.
const INDEX_SIZES: [u32; 13] = [30, 40, 50, 100, 150, 200, 225, 250, 400, 500, 600, 1_000, 2_000];
const INDEX_WORDS: &str = "nifty nasdaq russell dow bse nse ftse sensex midcap smallcap largemidcap next p";
/// Words that turn a duration before them into the name of a figure: the 200 of a 200-day average is not a claim.
const FIGURES: &str = "ema sma dma ma moving average averages exponential simple high low highs lows \
    range rsi trend";
/// Words before a number that make it the name of a figure.
const INDICATORS: &str = "ema sma dma rsi rvol roc atr ma";
/// Words before a number that make it a label: `Risk 2`, `Tier 1`, `Form 4`.
const LABELS: &str = "finding risk step point reason item note scenario case question no lens gate phase \
    tier basel form section regulation schedule";
/// Upper ends of scales: 87 of 99, 8/10.
const SCALES: [u32; 6] = [5, 8, 9, 10, 99, 100];
/// Words before a number that make it a limit.
const BOUNDS: &str = "above below over under least most than minimum maximum min max threshold beyond \
    exceeding";

impl RunEvidence {
    pub(super) fn supports(&self, number: &WrittenNumber, letters: &Letters) -> bool {
        let under = |unit: NumberUnit| {
            self.cells.iter().any(|cell| cell.is_written(number, unit))
                || self.is_named(number, unit, letters)
                || self.is_in_goal(number, unit, letters)
        };
        let year = number.maybe_year
            && self.calendar.contains_date(super::calendar::Moment::Year(number.value as i32));
        year || under(number.unit) || number.range_unit.is_some_and(under) || self.is_split(number, letters)
    }

    /// Returns true if the number names a figure or an index, or counts items of the report.
    fn is_named(&self, number: &WrittenNumber, unit: NumberUnit, letters: &Letters) -> bool {
        let Some(whole) = number.whole() else { return false };
        let before = words_before(letters, number.start);
        let after = words_after(letters, number.unit_end);
        let follows = |words: &str| after.iter().take(2).any(|word| is_among(words, word));
        let led = |words: &str| before.first().is_some_and(|word| is_among(words, word));
        match unit {
            NumberUnit::Duration => self.in_fields.contains(&whole) || (whole <= 999 && follows(FIGURES)),
            NumberUnit::None | NumberUnit::Ordinal => {
                (unit == NumberUnit::None && self.counts.contains(&whole) && !number.money)
                    || is_scale(number, whole, letters)
                    || (led("top") && whole <= 100)
                    || ((led(LABELS) || letters.before(number.start) == '#') && whole <= 99)
                    || (led(INDICATORS)
                        && letters.before(number.start) == '('
                        && letters.at(number.end) == ')')
                    || (led(INDEX_WORDS) && INDEX_SIZES.contains(&whole) && !number.money)
                    || (self.in_fields.contains(&whole) && (led(INDICATORS) || follows(INDICATORS)))
            }
            _ => false,
        }
    }

    /// Returns true if the number is in the caller's goal or an argument of a call: a length of time, or a limit of a screen.
    fn is_in_goal(&self, number: &WrittenNumber, unit: NumberUnit, letters: &Letters) -> bool {
        let equal = |value: f64| (value - number.value.abs()).abs() < 1e-9;
        let time = unit == NumberUnit::Duration && self.goal.iter().any(|value| equal(*value));
        let bound = words_before(letters, number.start).iter().take(4).any(|word| is_among(BOUNDS, word));
        let bound = bound || matches!(letters.before(number.start), '<' | '>' | '=');
        let is_argument = |(name, value): &(String, f64)| {
            let of_bound = name.starts_with("min_") || name.starts_with("max_");
            equal(*value) && if of_bound { bound } else { *value <= 366.0 && unit == NumberUnit::Duration }
        };
        time || self.arguments.iter().any(is_argument)
    }

    /// Returns true if the number is one side of a split such as `1:5` whose factor the run saw.
    fn is_split(&self, number: &WrittenNumber, letters: &Letters) -> bool {
        let Some(whole) = number.whole().filter(|whole| *whole > 0) else { return false };
        let other = if letters.at(number.end) == ':' {
            letters.slice(number.end + 1, number.end + 4)
        } else if letters.before(number.start) == ':' {
            let before = letters.slice(number.start.saturating_sub(4), number.start - 1);
            before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default().to_owned()
        } else {
            return false;
        };
        let digits: String = other.chars().take_while(char::is_ascii_digit).collect();
        let Some(other) = digits.parse::<f64>().ok().filter(|other| *other > 0.0) else { return false };
        let this = f64::from(whole);
        let factors = [this / other, other / this, this / (this + other), other / (this + other)];
        let factor = |cell: &SeenFigure| cell.field.contains("factor") || cell.field.contains("ratio");
        let seen = |cell: &SeenFigure| {
            cell.number.is_some_and(|seen| factors.iter().any(|f| (f - seen).abs() < 0.005))
        };
        self.cells.iter().any(|cell| factor(cell) && seen(cell))
    }
}

impl WrittenNumber {
    /// Returns the number if it is an integer without a sign or a unit.
    pub(super) fn whole(&self) -> Option<u32> {
        let plain = !self.signed && self.decimals == 0 && self.value <= f64::from(u32::MAX);
        plain.then_some(self.value as u32)
    }
}

impl SeenFigure {
    /// Returns true if the number, in a unit, equals this cell to its written precision.
    fn is_written(&self, number: &WrittenNumber, unit: NumberUnit) -> bool {
        let Some(own) = self.number else { return false };
        let equal = |own: f64| {
            let (own, said) =
                if number.signed { (own, number.value) } else { (own.abs(), number.value.abs()) };
            (own - said).abs() <= number.tolerance * (1.0 + 1e-9) + 1e-9 * said.abs()
        };
        match (unit, self.kind) {
            (NumberUnit::Percent | NumberUnit::BasisPoints | NumberUnit::Times, FigureKind::Money(_))
            | (NumberUnit::Scale(_), FigureKind::Percent) => false,
            (NumberUnit::Percent, FigureKind::Other) => equal(own) || equal(own * 100.0),
            (NumberUnit::BasisPoints, FigureKind::Percent) => equal(own * 100.0),
            (NumberUnit::BasisPoints, FigureKind::Other) => equal(own * 100.0) || equal(own * 1e4),
            (NumberUnit::Times, _) => equal(own) || equal(own / 100.0),
            (NumberUnit::Scale(said), FigureKind::Money(scale)) => equal(own * scale / said),
            (NumberUnit::Scale(said), FigureKind::Other) => equal(own / said) || equal(own),
            (NumberUnit::None, FigureKind::Money(scale)) => equal(own) || equal(own * scale),
            // A single bare digit must match exactly; as a rounded figure, some cell of a run would match it by chance.
            (NumberUnit::None, _) if number.whole().is_some_and(|whole| whole < 10) && !number.money => {
                equal(own) && own.fract() == 0.0
            }
            (NumberUnit::None, _) | (NumberUnit::Percent, FigureKind::Percent) => equal(own),
            // Counts are whole: a growth of 11.8 does not support 12 months.
            (NumberUnit::Duration | NumberUnit::Ordinal, FigureKind::Other) => {
                equal(own) && own.fract() == 0.0
            }
            (NumberUnit::Duration | NumberUnit::Ordinal, _) => false,
        }
    }
}

/// Returns true if a number is the end of a scale: `87/99`, `7 out of 10`, `on a scale of 1-99`.
fn is_scale(number: &WrittenNumber, whole: u32, letters: &Letters) -> bool {
    let before = words_before(letters, number.start);
    let word = |n: usize| before.get(n).map(String::as_str).unwrap_or_default();
    let fraction = letters.before(number.start) == '/' && letters.before(number.start - 1).is_ascii_digit();
    let out_of = word(0) == "of" && word(1) == "out";
    let scale = before.iter().any(|word| word == "scale");
    (SCALES.contains(&whole) && (fraction || out_of || scale)) || (scale && whole <= 1)
}

/// Returns up to four words before a position, nearest first.
fn words_before(letters: &Letters, place: usize) -> Vec<String> {
    let text = letters.slice(place.saturating_sub(40), place);
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .rev()
        .take(4)
        .map(str::to_owned)
        .collect()
}

/// Returns up to three words after a position.
fn words_after(letters: &Letters, place: usize) -> Vec<String> {
    let text = letters.slice(place, place + 40);
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(3)
        .map(str::to_owned)
        .collect()
}
