//! Whether a new set has fewer sessions or symbols than the one before: most often a raw file is missing then.
//!
//! Sessions and symbols are counted. A symbol under which a company traded before it was renamed is none that is missing: its
//! history goes on under the new one.

use std::collections::BTreeSet;
use std::fmt;

use chrono::NaiveDate;
use datafusion::arrow::util::display::array_value_to_string;

use super::error::DeriveError;
use super::published::Published;
use super::report::Joined;
use crate::operation::{Catalogue, Market};

/// What is counted: a table, its column that names a row, and the word for the rows.
const COUNTED: [(&str, &str, &str); 2] =
    [("sessions", "session", "sessions"), ("companies", "symbol", "symbols")];

/// Rows that a message names.
const NAMED: usize = 5;

/// What a new set has less of than the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// `sessions` or `symbols`.
    pub what: &'static str,
    /// How many the set before has.
    pub before: u64,
    /// How many the new set has.
    pub now: u64,
    /// Those of the set before that the new one lacks.
    pub missing: Vec<String>,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.missing.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if self.missing.len() > NAMED { ", ..." } else { "" };
        write!(f, "{} {} instead of {}, without {named}{more}", self.now, self.what, self.before)
    }
}

/// The message on what a set has less of.
pub(super) fn listed(losses: &[Loss]) -> String {
    losses.iter().map(Loss::to_string).collect::<Vec<_>>().join("; ")
}

/// Compares a set with the one before; `as_of` is the date up to which it is asked for, `joined` the histories that go on under
/// a new symbol.
///
/// # Errors
/// The new set has fewer sessions or symbols, and is not asked for up to a date before the last session of the other.
pub(super) fn check(
    catalogue: &Catalogue,
    (before, now): (&Published, &Published),
    market: Market,
    as_of: Option<NaiveDate>,
    joined: &[Joined],
) -> Result<(), DeriveError> {
    let names = |set: &Published, table: &str, column: &str| names(catalogue, market, set, table, column);
    let last = names(before, "sessions", "session").last().and_then(|day| day.parse::<NaiveDate>().ok());
    if as_of.zip(last).is_some_and(|(as_of, last)| as_of < last) {
        return Ok(());
    }
    let losses = COUNTED.into_iter().filter_map(|(table, column, what)| {
        let (were, are) = (names(before, table, column), names(now, table, column));
        loss(what, &were, &are, joined)
    });
    let losses: Vec<Loss> = losses.collect();
    if losses.is_empty() { Ok(()) } else { Err(DeriveError::Fewer { market, losses }) }
}

/// The names of the rows of a table, ascending; none where the set lacks it or it cannot be read.
fn names(
    catalogue: &Catalogue,
    market: Market,
    set: &Published,
    table: &str,
    column: &str,
) -> BTreeSet<String> {
    let rows = catalogue.table(market, table).and_then(|table| set.small(table)?.ok());
    let column = rows.as_ref().and_then(|rows| rows.column_by_name(column));
    let texts = column
        .into_iter()
        .flat_map(|column| (0..column.len()).filter_map(move |row| array_value_to_string(column, row).ok()));
    texts.collect()
}

fn loss(
    what: &'static str,
    were: &BTreeSet<String>,
    are: &BTreeSet<String>,
    joined: &[Joined],
) -> Option<Loss> {
    let renamed: BTreeSet<&str> = joined
        .iter()
        .filter(|joined| were.contains(&joined.old) && !are.contains(&joined.old))
        .flat_map(|joined| [joined.old.as_str(), joined.new.as_str()])
        .collect();
    let other = |name: &&String| !renamed.contains(name.as_str());
    let missing: Vec<String> = were.difference(are).filter(other).cloned().collect();
    let added = are.difference(were).filter(other).count();
    let (before, now) = (were.len() as u64, are.len() as u64);
    (missing.len() > added).then_some(Loss { what, before, now, missing })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(were: &[&str], are: &[&str], renamed: &[(&str, &str)]) -> Option<String> {
        let [were, are] = [were, are].map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let joined = renamed.iter().map(|(old, new)| Joined {
            old: (*old).to_owned(),
            new: (*new).to_owned(),
            last: NaiveDate::MIN,
            bars: 1,
        });
        loss("symbols", &were, &are, &joined.collect::<Vec<_>>()).map(|loss| loss.to_string())
    }

    #[test]
    fn symbols_are_counted() {
        assert_eq!(lost(&["A", "B"], &["A", "B", "C"], &[]), None);
        assert_eq!(lost(&["A", "B"], &["A", "C"], &[]), None, "as many as before");
        let told = lost(&["A", "B", "C"], &["A", "D"], &[]).unwrap();
        assert_eq!(told, "2 symbols instead of 3, without B, C");
        let told = lost(&["A", "B", "C", "D", "E", "F", "G"], &["A"], &[]).unwrap();
        assert_eq!(told, "1 symbols instead of 7, without B, C, D, E, F, ...");
    }

    #[test]
    fn a_company_that_is_renamed_is_not_lost() {
        // On the day of the change, and later, where both symbols had bars of their own before it was known.
        assert_eq!(lost(&["A", "OLD"], &["A", "NEW"], &[("OLD", "NEW")]), None);
        assert_eq!(lost(&["A", "NEW", "OLD"], &["A", "NEW"], &[("OLD", "NEW")]), None);
        // The new symbol makes up for its own old one alone.
        assert!(lost(&["A", "B", "OLD"], &["A", "NEW"], &[("OLD", "NEW")]).is_some());
    }
}
