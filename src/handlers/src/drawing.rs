//! A drawing on the chart of a stock: a horizontal level, or a trend line through two points. It is stored as a line of text.
//!
//! Its prices count shares of its *basis*, the last session of the chart on which it was drawn. A split or bonus after the basis rescales
//! them like the prices of bars.

use chrono::NaiveDate;

use parquote_engine::AnswerRows;
use parquote_state::ALL_REMOVED;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct SavedDrawing {
    /// Its number, unique among all drawings that the stock has had, from 1.
    pub number: i64,
    /// The session whose shares its prices count.
    pub basis: NaiveDate,
    /// The point of a level, or the earlier point of a trend line.
    pub first: DrawnPoint,
    /// The later point of a trend line; `None` for a level.
    pub second: Option<DrawnPoint>,
}

/// A point of a drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DrawnPoint {
    pub day: NaiveDate,
    /// Price of a share of the basis.
    pub price: f64,
}

/// The factors that convert the prices of a stock to shares of its last bar, each with the session from which it applies, the earliest
/// first.
#[derive(Debug)]
pub(super) struct ShareFactors(Vec<(NaiveDate, f64)>);

impl SavedDrawing {
    /// Parses the drawings of a stock, one in each line. Lines that are not drawings are skipped.
    pub(super) fn parse_all(content: &str) -> Vec<Self> {
        content.lines().filter_map(Self::parse).collect()
    }

    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        let point =
            |day: &str, price: &str| Some(DrawnPoint { day: day.parse().ok()?, price: price.parse().ok()? });
        let (number, basis, first, second) = match words.as_slice() {
            [number, basis, day, price] => (number, basis, point(day, price)?, None),
            [number, basis, day, price, later, other] => {
                (number, basis, point(day, price)?, Some(point(later, other)?))
            }
            _ => return None,
        };
        Some(Self { number: number.parse().ok()?, basis: basis.parse().ok()?, first, second })
    }

    /// Returns the highest number that a drawing of the stock has or had; 0 if there was none.
    pub(super) fn last_number(content: &str) -> i64 {
        let stored_last: Option<i64> =
            content.lines().find_map(|line| line.strip_prefix(ALL_REMOVED)?.parse().ok());
        let numbers = Self::parse_all(content).into_iter().map(|drawing| drawing.number);
        numbers.chain(stored_last).max().unwrap_or_default()
    }

    /// Returns the stored text of drawings. Its last line has the highest number so far, so that no number is used twice.
    pub(super) fn content(drawings: &[Self], last_number: i64) -> String {
        let line = |drawing: &Self| {
            let points = [Some(drawing.first), drawing.second].into_iter().flatten();
            let points: Vec<String> =
                points.map(|DrawnPoint { day, price }| format!("{day} {price}")).collect();
            format!("{} {} {}", drawing.number, drawing.basis, points.join(" "))
        };
        let lines = drawings.iter().map(line).chain([format!("{ALL_REMOVED}{last_number}")]);
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl ShareFactors {
    /// Reads rows with the sessions at which the factor changes, each with the factor from then on.
    pub(super) fn read(rows: &AnswerRows) -> Self {
        let steps = rows.dates("session").into_iter().zip(rows.numbers("factor"));
        Self(steps.filter_map(|(since, factor)| since.zip(factor)).collect())
    }

    /// Returns the factor of a day. Before the first bar it is the factor of the first bar, and without bars it is 1.
    pub(super) fn on(&self, day: NaiveDate) -> f64 {
        let step = self.0.iter().rfind(|(since, _)| *since <= day).or_else(|| self.0.first());
        step.map_or(1.0, |(_, factor)| *factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn drawings_are_read_as_they_were_stored() {
        let level = SavedDrawing {
            number: 3,
            basis: day("2026-10-30"),
            first: DrawnPoint { day: day("2026-10-30"), price: 105.55 },
            second: None,
        };
        let trend = SavedDrawing {
            number: 12,
            basis: day("2026-10-29"),
            first: DrawnPoint { day: day("2026-03-02"), price: 0.1 + 0.2 },
            second: Some(DrawnPoint { day: day("2026-09-01"), price: 1e-4 }),
        };
        let content = SavedDrawing::content(&[level.clone(), trend.clone()], 15);
        assert!(
            content.starts_with("3 2026-10-30 2026-10-30 105.55\n12 2026-10-29 2026-03-02 "),
            "{content}"
        );
        assert_eq!(SavedDrawing::parse_all(&content), [level, trend.clone()]);
        assert!(content.ends_with("\nlast 15"), "{content}");
        assert_eq!(SavedDrawing::content(&[], 15), "last 15");
        for (content, last) in
            [("", 0), ("last 15", 15), (content.as_str(), 15), ("7 2026-10-30 2026-10-30 5", 7)]
        {
            assert_eq!(SavedDrawing::last_number(content), last, "{content}");
        }
        assert!(SavedDrawing::parse_all("last 15").is_empty());
        let damaged = format!(
            "1 2026-10-30 2026-10-30\nx\n{}\n2 2026-10-30 2026-13-01 5",
            SavedDrawing::content(std::slice::from_ref(&trend), 12)
        );
        assert_eq!(SavedDrawing::parse_all(&damaged), [trend]);
    }

    #[test]
    fn a_price_is_multiplied_by_the_factor_of_its_day() {
        // A bonus of 2 for 1 on 20 July, and of 1 for 1 on 8 October: a third of a half before both.
        let steps = [("2020-01-01", 1.0 / 6.0), ("2026-07-20", 0.5), ("2026-10-08", 1.0)];
        let factors = ShareFactors(steps.map(|(since, factor)| (day(since), factor)).to_vec());
        let shown = |at: &str| (600.0 * factors.on(day(at))).to_string();
        let days = ["2019-12-31", "2026-07-19", "2026-07-20", "2026-10-07", "2026-10-08", "2027-01-01"];
        assert_eq!(days.map(shown), ["100", "100", "300", "300", "600", "600"]);
        assert_eq!(ShareFactors(Vec::new()).on(day("2026-01-01")).to_string(), "1");
    }
}
