//! From all figures that files have to those of the market: companies get their symbols, and each figure is there once.
//!
//! Of figures for one line of one period, those filed on different days all stay, for what was known on a date is asked of
//! them; but one that only repeats the figure in force is a duplicate. Where a filing with its date has the line, rows that do
//! not say their date are duplicates too. Nothing is averaged or chosen by its size.

use std::collections::{BTreeSet, HashMap};

use super::super::RawError;
use super::super::files::Source;
use super::super::ledger::Ledger;
use super::super::reason::Reason;
use super::gathered::Gathered;
use super::row::{StatementRow, Who};

/// The figures of a market, by symbol, statement, period, basis, line and date of filing.
#[derive(Debug, Clone, Default)]
pub struct Statements {
    /// The figures; their `company` is a place in `symbols`, their `source` one in `sources`.
    pub rows: Vec<StatementRow>,
    /// Companies, sorted.
    pub symbols: Vec<String>,
    /// Sources in words.
    pub sources: Vec<String>,
}

/// Settles what was gathered.
pub(crate) fn settle(
    gathered: Gathered,
    sources: &[Source],
    ledger: &mut Ledger<'_>,
) -> Result<Statements, RawError> {
    let Gathered { mut rows, companies, sources: words, .. } = gathered;
    let symbols = name_companies(&mut rows, &companies, sources, ledger)?;
    rows.sort_unstable_by_key(order);
    let mut kept: Vec<StatementRow> = Vec::with_capacity(rows.len());
    for of_one in rows.chunk_by(|a, b| figure(a) == figure(b)) {
        keep_versions(of_one, &mut kept, sources, ledger);
    }
    kept.shrink_to_fit();
    Ok(Statements { rows: kept, symbols, sources: words })
}

/// Puts the place of a sorted symbol for the number of the company; rows of companies without a symbol are taken back.
fn name_companies(
    rows: &mut Vec<StatementRow>,
    companies: &[Who],
    sources: &[Source],
    ledger: &mut Ledger<'_>,
) -> Result<Vec<String>, RawError> {
    let symbol = |who: &Who| match who {
        Who::Symbol(symbol) => Some(symbol.clone()),
        Who::Cik(_) | Who::Name(_) => None,
    };
    let named: Vec<Option<String>> = companies.iter().map(symbol).collect();
    let symbols: BTreeSet<String> = named.iter().flatten().cloned().collect();
    let places: HashMap<&String, u32> = symbols.iter().zip(0..).collect();
    let places: Vec<Option<u32>> = named.iter().map(|symbol| places.get(symbol.as_ref()?).copied()).collect();
    let mut unnamed = Vec::new();
    rows.retain_mut(|row| match places.get(row.company as usize).copied().flatten() {
        Some(place) => {
            row.company = place;
            true
        }
        None => {
            unnamed.push(*row);
            false
        }
    });
    for row in unnamed {
        let Some(source) = sources.get(row.file as usize) else { continue };
        let text = format!(
            "{:?},{},{},{}",
            companies.get(row.company as usize),
            row.period_end,
            row.line.word(),
            row.value
        );
        ledger.take_back(source, row.at, Reason::UnknownCompany, &text)?;
    }
    Ok(symbols.into_iter().collect())
}

/// What names a figure, whenever it was filed.
fn figure(row: &StatementRow) -> impl Ord + use<> {
    (row.company, row.line.statement(), row.period_end, row.span, row.basis, row.line)
}

/// Figures by name, then by the day of filing, none last; of one day the newest file first, there the last row.
fn order(row: &StatementRow) -> impl Ord + use<> {
    let newest = std::cmp::Reverse((row.file, row.at));
    (figure(row), row.filed_at.is_none(), row.filed_at, newest)
}

/// Keeps what the filings of one figure add to each other.
fn keep_versions(
    of_one: &[StatementRow],
    kept: &mut Vec<StatementRow>,
    sources: &[Source],
    ledger: &mut Ledger<'_>,
) {
    let mut in_force: Option<StatementRow> = None;
    for row in of_one {
        let same = |other: &StatementRow| {
            other.value.total_cmp(&row.value).is_eq() && other.currency == row.currency
        };
        let is_new = in_force
            .as_ref()
            .is_none_or(|other| row.filed_at.is_some() && row.filed_at != other.filed_at && !same(other));
        if is_new {
            kept.push(*row);
            in_force = Some(*row);
        } else if let Some(source) = sources.get(row.file as usize) {
            let is_same = in_force.as_ref().is_some_and(same);
            let tally = ledger.tally(source);
            tally.kept -= 1;
            if is_same {
                tally.identical += 1;
            } else {
                tally.differing += 1;
            }
        }
    }
}
