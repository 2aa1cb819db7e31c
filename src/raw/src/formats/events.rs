//! NSE's `bc`: corporate actions with their ex-dates and their purpose in words.
//!
//! All actions of common stock are read, including dividends; [`crate::purposes`] interprets the purpose.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;
use serde::Deserialize;

use crate::domain::event_kind::EventKind;
use crate::domain::provenance::Provenance;
use crate::files::source::RawSource;
use crate::purposes::PurposeWords;
use crate::records::columns::NamedColumns;
use crate::records::duplicates::Duplicate;
use crate::records::positioned_row::PositionedRow;
use crate::records::table_row::TableRecord;
use crate::symbols::SymbolChanges;
use parquote_catalogue::digits::counted;

/// Maximum number of days by which the date of a dividend is moved: ten sessions.
const MOST_DAYS_MOVED: i64 = 14;

/// An announced corporate action.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(crate) struct Event {
    pub(crate) symbol: String,
    /// The first session without the entitlement.
    pub(crate) ex_date: NaiveDate,
    /// The day on which shareholders are determined.
    pub(crate) record_date: Option<NaiveDate>,
    #[serde(skip)]
    pub(crate) kind: EventKind,
    /// The purpose, in the source's words.
    pub(crate) purpose: String,
    /// Factor of a split or bonus that multiplies earlier prices.
    #[serde(skip)]
    pub(crate) factor: Option<f64>,
    /// Each split and bonus in the purpose, with its factor.
    #[serde(skip)]
    pub(crate) parts: Vec<(EventKind, f64)>,
    /// True if shareholders get shares of another company.
    #[serde(skip)]
    pub(crate) is_demerger: bool,
    /// The sum of the dividends per share, and that of the special ones among them.
    #[serde(skip)]
    pub(crate) dividend: Option<(f64, f64)>,
    /// The parts of the purpose that could not be read; empty if there are none.
    #[serde(skip)]
    pub(crate) unread: String,
    #[serde(skip)]
    pub(crate) source: Provenance,
}

impl Event {
    /// Fills the fields that the purpose determines.
    fn interpret(&mut self, words: &PurposeWords) {
        let purpose = words.read(&self.purpose);
        self.kind = purpose.kind();
        self.factor = purpose.factor();
        self.is_demerger = purpose.is_demerger;
        self.dividend = purpose.dividend.flatten().map(|paid| (paid, purpose.special));
        self.unread = purpose.unread();
        self.parts = self.factor.and(purpose.parts).unwrap_or_default();
    }
}

impl TableRecord for Event {
    const TABLE: &'static str = "corporate_events";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::for_rows(rows)
            .text("symbol", |event| Some(&event.symbol))
            .date("ex_date", |event| Some(event.ex_date))
            .sequence("sequence", |event| (&event.symbol, event.ex_date))
            .date("record_date", |event| event.record_date)
            .text("action_type", |event| Some(event.kind.word()))
            .text("purpose", |event| Some(&event.purpose))
            .number("factor", |event| event.factor)
            .number("dividend", |event| Some(event.dividend?.0))
            .text("unread", |event| Some(event.unread.as_str()).filter(|unread| !unread.is_empty()))
            .text("source", |event| event.source.words())
            .finish()
    }
}

/// Returns the ex-dates of demergers and spin-offs without a known factor, by symbol.
pub(crate) fn spin_offs(events: &[Event]) -> HashMap<String, Vec<NaiveDate>> {
    let mut dates: HashMap<String, Vec<NaiveDate>> = HashMap::new();
    for event in events.iter().filter(|event| event.is_demerger && event.factor.is_none()) {
        dates.entry(event.symbol.clone()).or_default().push(event.ex_date);
    }
    dates
}

/// Returns the events under current symbols without duplicates, the duplicates, and a note on unread purposes. Rows that
/// differ in wording, list or series are one event if their figures agree; so are dividends whose date another file has moved.
pub(crate) fn drop_repetitions(
    mut rows: Vec<PositionedRow<Event>>,
    symbols: &SymbolChanges,
    words: &PurposeWords,
    sources: &[RawSource],
) -> (Vec<Event>, Vec<Duplicate>, Option<String>) {
    for placed in &mut rows {
        symbols.renew(&mut placed.row.symbol, placed.row.ex_date);
        placed.row.interpret(words);
    }
    let notes = note_on_unread(&rows, sources);
    rows.sort_by(|a, b| {
        let by_kind = (&a.row.symbol, a.row.kind).cmp(&(&b.row.symbol, b.row.kind));
        by_kind.then_with(|| compare_terms(&a.row, &b.row)).then(a.row.ex_date.cmp(&b.row.ex_date))
    });
    let mut events: Vec<PositionedRow<Event>> = Vec::with_capacity(rows.len());
    let mut duplicates = Vec::new();
    for mut placed in rows {
        let is_same_event = |before: &&mut PositionedRow<Event>| {
            let (a, b) = (&before.row, &placed.row);
            let days = (b.ex_date - a.ex_date).num_days();
            (&a.symbol, a.kind) == (&b.symbol, b.kind)
                && (days == 0
                    || (days <= MOST_DAYS_MOVED && b.dividend.is_some() && before.file != placed.file))
                && compare_terms(a, b).is_eq()
        };
        let Some(before) = events.last_mut().filter(is_same_event) else {
            events.push(placed);
            continue;
        };
        let is_same = before.row.ex_date == placed.row.ex_date;
        if (placed.file, placed.line) > (before.file, before.line) {
            std::mem::swap(before, &mut placed);
        }
        duplicates.push(Duplicate { file: placed.file, is_same });
    }
    pay_once(&mut events);
    (events.into_iter().map(|placed| placed.row).collect(), duplicates, notes)
}

/// Removes the dividends of a file on a date if a newer file states the same sum in other parts.
fn pay_once(events: &mut [PositionedRow<Event>]) {
    let mut sums: BTreeMap<(String, NaiveDate), BTreeMap<u32, f64>> = BTreeMap::new();
    for PositionedRow { row, file, .. } in events.iter() {
        if let Some((paid, _)) = row.dividend {
            let of_date = sums.entry((row.symbol.clone(), row.ex_date)).or_default();
            *of_date.entry(*file).or_default() += paid;
        }
    }
    sums.retain(|_, of_files| of_files.len() > 1);
    for PositionedRow { row, file, .. } in events {
        let Some(of_files) = sums.get(&(row.symbol.clone(), row.ex_date)) else { continue };
        let sum_of_file = of_files.get(file).copied().unwrap_or_default();
        if of_files.range(*file + 1..).any(|(_, sum)| (sum - sum_of_file).abs() < 1e-9) {
            row.dividend = None;
        }
    }
}

/// Compares the figures of two events, or their purposes if they have no figures.
fn compare_terms(a: &Event, b: &Event) -> Ordering {
    let figures = |event: &Event| {
        let parts = event.parts.iter().flat_map(|(kind, factor)| [*kind as u64, factor.to_bits()]);
        let paid = event.dividend.map(|(paid, special)| [paid.to_bits(), special.to_bits()]);
        parts.chain(paid.into_iter().flatten()).collect::<Vec<_>>()
    };
    let (one, other) = (figures(a), figures(b));
    one.cmp(&other).then_with(|| {
        if one.is_empty() { a.purpose.to_uppercase().cmp(&b.purpose.to_uppercase()) } else { Ordering::Equal }
    })
}

/// Returns a line of the report about purposes that could not be read.
fn note_on_unread(rows: &[PositionedRow<Event>], sources: &[RawSource]) -> Option<String> {
    const MAX_EXAMPLES: usize = 8;
    let unread: Vec<&PositionedRow<Event>> =
        rows.iter().filter(|placed| !placed.row.unread.is_empty()).collect();
    let examples = unread.iter().take(MAX_EXAMPLES).map(|placed| {
        let Event { symbol, ex_date, purpose, unread, .. } = &placed.row;
        let file = sources.get(placed.file as usize).map(|source| source.name.as_str()).unwrap_or_default();
        format!("{symbol} on {ex_date}, `{purpose}` ({unread}; {file}, line {})", placed.line)
    });
    let more = if unread.len() > MAX_EXAMPLES { ", ..." } else { "" };
    let examples = examples.collect::<Vec<_>>().join(", ");
    (!unread.is_empty()).then(|| {
        let actions = counted(unread.len(), "corporate action is", "corporate actions are");
        format!(
            "{actions} not understood whole; a list of actions settles a factor, a file of your own under queries/purposes a word: \
             {examples}{more}"
        )
    })
}
