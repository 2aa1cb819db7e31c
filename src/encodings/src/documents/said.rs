//! The symbol, kind, day and period that the beginning of a document states.
//!
//! Nothing is guessed: where a document names two symbols, none is returned.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use crate::text::dates_in_words;

/// Paragraphs at the beginning that are searched.
const MOST_SEARCHED: usize = 60;
/// Paragraphs at the beginning in which the kind of the document is searched.
const HEAD: usize = 20;

/// Names of exchanges before a symbol.
const EXCHANGES: [&str; 6] = ["nyse:", "nasdaq:", "nse:", "nyse american:", "nse symbol:", "nasdaqgs:"];

/// Words at the beginning of a document that say its kind; those that come first in the document decide.
const KINDS: [(&str, &str); 12] = [
    ("form 8-k", "8-K"),
    ("form 10-k", "10-K"),
    ("form 10-q", "10-Q"),
    ("call transcript", "transcript"),
    ("transcript of", "transcript"),
    ("investor presentation", "presentation"),
    ("earnings presentation", "presentation"),
    ("prnewswire", "press_release"),
    ("globe newswire", "press_release"),
    ("business wire", "press_release"),
    ("press release", "press_release"),
    ("regulation 30", "announcement"),
];

/// Words before the end of a period.
const PERIODS: [&str; 7] = ["quarter", "months", "year", "period", "weeks", "half", "quarterly"];

/// Statements of a document about itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SaidFacts {
    pub(super) symbol: Option<String>,
    pub(super) kind: Option<&'static str>,
    /// The first date, except for the ends of periods.
    pub(super) day: Option<NaiveDate>,
    /// The first end of a period.
    pub(super) period_end: Option<NaiveDate>,
}

impl SaidFacts {
    /// Reads the beginning of a document.
    pub(super) fn read(paragraphs: &[String]) -> Self {
        let mut read = Self { kind: kind(paragraphs), ..Self::default() };
        let mut symbols = BTreeSet::new();
        for paragraph in paragraphs.iter().take(MOST_SEARCHED) {
            symbols.extend(symbols_in(paragraph));
            let words: Vec<&str> = paragraph.split_whitespace().collect();
            for at in 0..words.len() {
                let Some(date) = words.get(at..).and_then(dates_in_words::at_start) else { continue };
                let before = words.get(at.saturating_sub(4)..at).unwrap_or_default();
                if !is_end(before) {
                    read.day = read.day.or(Some(date));
                } else if before.iter().any(|word| PERIODS.contains(&word.to_lowercase().as_str())) {
                    read.period_end = read.period_end.or(Some(date));
                }
            }
        }
        read.symbol = symbols.pop_first().filter(|_| symbols.is_empty());
        read
    }
}

/// Returns true if the words before a date say that something ended on it.
fn is_end(before: &[&str]) -> bool {
    let last = before.iter().rev().find(|word| !["on", "the"].contains(word));
    last.is_some_and(|word| ["ended", "ending", "ends"].contains(&word.to_lowercase().as_str()))
}

fn kind(paragraphs: &[String]) -> Option<&'static str> {
    let head =
        paragraphs.iter().take(HEAD).map(|paragraph| paragraph.to_lowercase()).collect::<Vec<_>>().join("\n");
    let found = KINDS.iter().filter_map(|(words, kind)| Some((head.find(words)?, *kind)));
    found.min_by_key(|(at, _)| *at).map(|(_, kind)| kind)
}

/// Returns the symbols that follow the name of an exchange.
fn symbols_in(paragraph: &str) -> impl Iterator<Item = String> {
    let small = paragraph.to_ascii_lowercase();
    let places = EXCHANGES.into_iter().flat_map(|exchange| small.match_indices(exchange));
    let ends: Vec<(usize, usize)> = places.map(|(at, exchange)| (at, at + exchange.len())).collect();
    ends.into_iter().filter_map(move |(at, end)| {
        let is_word = paragraph.get(..at)?.chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        let behind = paragraph.get(end..)?.trim_start();
        let symbol: String = behind
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '&' | '.' | '-'))
            .collect();
        let symbol = symbol.trim_end_matches(['.', '-']);
        let is_symbol = symbol.starts_with(|c: char| c.is_ascii_uppercase())
            && symbol.len() <= 20
            && !symbol.contains(|c: char| c.is_ascii_lowercase());
        (is_word && is_symbol).then(|| symbol.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(paragraphs: &[&str]) -> SaidFacts {
        SaidFacts::read(&paragraphs.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_press_release_says_all_of_it() {
        let said = read(&[
            "Alfa Reports Second Quarter Results",
            "SPRINGFIELD, Aug. 5, 2026 (GLOBE NEWSWIRE) -- Alfa Inc. (NYSE: ALFA) today announced results for the quarter ended \
             June 30, 2026.",
        ]);
        let day = |month, day| NaiveDate::from_ymd_opt(2026, month, day);
        assert_eq!((said.symbol.as_deref(), said.kind), (Some("ALFA"), Some("press_release")));
        assert_eq!((said.day, said.period_end), (day(8, 5), day(6, 30)));
    }

    #[test]
    fn a_form_that_a_press_release_refers_to_is_not_its_kind() {
        let said =
            read(&["BOSTON (PRNewswire) -- Alfa reports.", "Risks are in our Form 10-K and Form 8-K."]);
        assert_eq!(said.kind, Some("press_release"));
    }

    #[test]
    fn what_is_not_stated_or_is_stated_twice_is_unknown() {
        assert_eq!(read(&["Expense: AAA. Dear all", "The lease ended June 30, 2026."]), SaidFacts::default());
        assert_eq!(read(&["Alfa (NYSE: ALFA) buys Beta (Nasdaq: BETA)"]).symbol, None);
        assert_eq!(read(&["Alfa (NYSE: ALFA) buys Beta (NYSE: BETA)"]).symbol, None);
        assert_eq!(read(&["Expense: low. Alfa (NSE: ALFA)"]).symbol.as_deref(), Some("ALFA"));
        assert_eq!(read(&["Alfa (NSE: M&M; BSE: 500520)"]).symbol.as_deref(), Some("M&M"));
    }
}
