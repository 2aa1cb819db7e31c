//! The symbol, kind, day and period that the beginning of a document states.
//!
//! Nothing is guessed: where a document names two symbols, none is returned.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use crate::text::dates_in_words;

/// Number of first paragraphs that are searched for a symbol, a day and a period.
const SEARCHED_PARAGRAPHS: usize = 60;
/// Number of first paragraphs that are searched for the kind of document.
const KIND_PARAGRAPHS: usize = 20;

/// Names of exchanges before a symbol.
const EXCHANGES: [&str; 6] = ["nyse:", "nasdaq:", "nse:", "nyse american:", "nse symbol:", "nasdaqgs:"];

/// Words that indicate the kind of document, with that kind; the words that come first in the document decide.
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

/// Words for a period, in front of the date of its end.
const PERIODS: [&str; 7] = ["quarter", "months", "year", "period", "weeks", "half", "quarterly"];

/// Facts that a document states about itself; `None` for a fact that is missing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SelfStatedFacts {
    /// The symbol after the name of an exchange; `None` if there are two.
    pub(super) symbol: Option<String>,
    pub(super) kind: Option<&'static str>,
    /// The first date that is not the end of a period.
    pub(super) day: Option<NaiveDate>,
    /// The first end of a period.
    pub(super) period_end: Option<NaiveDate>,
}

impl SelfStatedFacts {
    /// Reads the beginning of a document.
    pub(super) fn read(paragraphs: &[String]) -> Self {
        let mut facts = Self { kind: kind(paragraphs), ..Self::default() };
        let mut symbols = BTreeSet::new();
        for paragraph in paragraphs.iter().take(SEARCHED_PARAGRAPHS) {
            symbols.extend(symbols_in(paragraph));
            let words: Vec<&str> = paragraph.split_whitespace().collect();
            for at in 0..words.len() {
                let Some(date) = words.get(at..).and_then(dates_in_words::at_start) else { continue };
                let before = words.get(at.saturating_sub(4)..at).unwrap_or_default();
                if !says_ended(before) {
                    facts.day = facts.day.or(Some(date));
                } else if before.iter().any(|word| PERIODS.contains(&word.to_lowercase().as_str())) {
                    facts.period_end = facts.period_end.or(Some(date));
                }
            }
        }
        facts.symbol = symbols.pop_first().filter(|_| symbols.is_empty());
        facts
    }
}

/// Returns true if the words before a date say that something ended on it.
fn says_ended(before: &[&str]) -> bool {
    let last = before.iter().rev().find(|word| !["on", "the"].contains(word));
    last.is_some_and(|word| ["ended", "ending", "ends"].contains(&word.to_lowercase().as_str()))
}

fn kind(paragraphs: &[String]) -> Option<&'static str> {
    let head = paragraphs
        .iter()
        .take(KIND_PARAGRAPHS)
        .map(|paragraph| paragraph.to_lowercase())
        .collect::<Vec<_>>()
        .join("\n");
    let positions = KINDS.iter().filter_map(|(words, kind)| Some((head.find(words)?, *kind)));
    positions.min_by_key(|(at, _)| *at).map(|(_, kind)| kind)
}

/// Returns the symbols that follow the name of an exchange.
fn symbols_in(paragraph: &str) -> impl Iterator<Item = String> {
    let lower = paragraph.to_ascii_lowercase();
    let matches = EXCHANGES.into_iter().flat_map(|exchange| lower.match_indices(exchange));
    let ends: Vec<(usize, usize)> = matches.map(|(at, exchange)| (at, at + exchange.len())).collect();
    ends.into_iter().filter_map(move |(at, end)| {
        let is_word = paragraph.get(..at)?.chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        let rest = paragraph.get(end..)?.trim_start();
        let symbol: String =
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '&' | '.' | '-')).collect();
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

    fn read(paragraphs: &[&str]) -> SelfStatedFacts {
        SelfStatedFacts::read(&paragraphs.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
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
        assert_eq!(
            read(&["Expense: AAA. Dear all", "The lease ended June 30, 2026."]),
            SelfStatedFacts::default()
        );
        assert_eq!(read(&["Alfa (NYSE: ALFA) buys Beta (Nasdaq: BETA)"]).symbol, None);
        assert_eq!(read(&["Alfa (NYSE: ALFA) buys Beta (NYSE: BETA)"]).symbol, None);
        assert_eq!(read(&["Expense: low. Alfa (NSE: ALFA)"]).symbol.as_deref(), Some("ALFA"));
        assert_eq!(read(&["Alfa (NSE: M&M; BSE: 500520)"]).symbol.as_deref(), Some("M&M"));
    }
}
