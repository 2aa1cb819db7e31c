//! Checks that a new set has no fewer sessions or symbols than the previous one. If it has, a raw file is usually missing.
//!
//! The old symbol of a renamed company does not count as missing, as its history continues under the new symbol.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use datafusion::arrow::util::display::array_value_to_string;

use super::error::DeriveError;
use super::loss::Loss;
use super::published::PublishedSet;
use super::sources::{self, BARS, COMPANIES, SESSIONS};
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_raw::report::JoinedSymbol;

/// The counts to compare, each as (source of a table, column that identifies a row, word for the rows).
const COUNT_SOURCES: [(&str, &str, &str); 2] =
    [(SESSIONS, "session", "sessions"), (COMPANIES, "symbol", "symbols")];

/// Compares a set with the previous one. `as_of` is the requested last date; `joined` has the symbols whose histories continue under a new
/// symbol.
///
/// # Errors
/// The new set has fewer sessions or symbols, unless `as_of` is before the last session of the previous set.
pub(super) fn check(
    catalogue: &Catalogue,
    before: &PublishedSet,
    now: &PublishedSet,
    market: Market,
    as_of: Option<NaiveDate>,
    joined: &[JoinedSymbol],
) -> Result<(), DeriveError> {
    // Returns the values of a column, ascending; empty if the table is missing or cannot be read.
    let names = |set: &PublishedSet, source: &str, column: &str| -> BTreeSet<String> {
        let table = sources::table(catalogue, market, source);
        let rows = table.and_then(|table| set.read_single_file(table)?.ok());
        let column = rows.as_ref().and_then(|rows| rows.column_by_name(column)).into_iter();
        let texts = column.flat_map(|column| {
            (0..column.len()).filter_map(move |row| array_value_to_string(column, row).ok())
        });
        texts.collect()
    };
    let last = names(before, SESSIONS, "session").last().and_then(|day| day.parse::<NaiveDate>().ok());
    if as_of.zip(last).is_some_and(|(as_of, last)| as_of < last) {
        return Ok(());
    }
    // A set without prices has all calendar days and all companies that file. The first set with prices has fewer of both.
    if sources::table(catalogue, market, BARS).is_some_and(|bars| !before.has_table(bars)) {
        return Ok(());
    }
    let losses = COUNT_SOURCES.into_iter().filter_map(|(source, column, what)| {
        let (old_names, new_names) = (names(before, source, column), names(now, source, column));
        loss_of_names(what, &old_names, &new_names, joined)
    });
    let losses: Vec<Loss> = losses.collect();
    if losses.is_empty() { Ok(()) } else { Err(DeriveError::Fewer { market, losses }) }
}

fn loss_of_names(
    what: &'static str,
    old_names: &BTreeSet<String>,
    new_names: &BTreeSet<String>,
    joined: &[JoinedSymbol],
) -> Option<Loss> {
    let renamed: BTreeSet<&str> = joined
        .iter()
        .filter(|joined| old_names.contains(&joined.old) && !new_names.contains(&joined.old))
        .flat_map(|joined| [joined.old.as_str(), joined.new.as_str()])
        .collect();
    let other = |name: &&String| !renamed.contains(name.as_str());
    let missing: Vec<String> = old_names.difference(new_names).filter(other).cloned().collect();
    let added = new_names.difference(old_names).filter(other).count();
    let (before, now) = (old_names.len() as u64, new_names.len() as u64);
    (missing.len() > added).then_some(Loss { what, before, now, missing })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(old_names: &[&str], new_names: &[&str], renamed: &[(&str, &str)]) -> Option<String> {
        let [old_names, new_names] =
            [old_names, new_names].map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let joined = renamed.iter().map(|(old, new)| JoinedSymbol {
            old: (*old).to_owned(),
            new: (*new).to_owned(),
            last: NaiveDate::MIN,
            bars: 1,
        });
        loss_of_names("symbols", &old_names, &new_names, &joined.collect::<Vec<_>>())
            .map(|loss| loss.to_string())
    }

    #[test]
    fn symbols_are_counted() {
        assert_eq!(lost(&["A", "B"], &["A", "B", "C"], &[]), None);
        assert_eq!(lost(&["A", "B"], &["A", "C"], &[]), None, "as many as before");
        let message = lost(&["A", "B", "C"], &["A", "D"], &[]).unwrap();
        assert_eq!(message, "2 symbols instead of 3, without B, C");
        let message = lost(&["A", "B", "C", "D", "E", "F", "G"], &["A"], &[]).unwrap();
        assert_eq!(message, "1 symbols instead of 7, without B, C, D, E, F, ...");
    }

    #[test]
    fn a_company_that_is_renamed_is_not_lost() {
        // On the day of the change; and later, if both symbols had bars before the change was known.
        assert_eq!(lost(&["A", "OLD"], &["A", "NEW"], &[("OLD", "NEW")]), None);
        assert_eq!(lost(&["A", "NEW", "OLD"], &["A", "NEW"], &[("OLD", "NEW")]), None);
        // A new symbol compensates only for its own old one.
        assert!(lost(&["A", "B", "OLD"], &["A", "NEW"], &[("OLD", "NEW")]).is_some());
    }
}
