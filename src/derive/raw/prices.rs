//! Reads every price file into bars by symbol.
//!
//! Formats that say ISINs are read first, so that those without are screened by them. A symbol is judged once a worker; the
//! bars of a symbol arrive in the order of the files and are not yet sorted or free of duplicates.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use chrono::NaiveDate;

use super::bar::Bar;
use super::cells::Record;
use super::files::Source;
use super::format::Layout;
use super::in_order::{Outlet, read_in_order};
use super::ledger::{Ledger, Piece};
use super::price_row::{LastDay, PriceColumns, PriceRow};
use super::reason::Reason;
use super::references::References;
use super::screen::{DatedIsin, Screen, Verdict};
use super::us_listings;
use super::{Progress, RawError};
use crate::operation::Market;

/// The bars of a symbol as they were read.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(crate) symbol: String,
    pub(crate) is_index: bool,
    pub(crate) bars: Vec<Bar>,
}

/// What the price files hold.
#[derive(Debug, Default)]
pub(crate) struct Prices {
    /// By symbol, ascending.
    pub(crate) symbols: Vec<Gathered>,
    /// By symbol.
    pub(crate) isins: HashMap<String, DatedIsin>,
}

/// A symbol's number, in the order in which symbols were met.
#[derive(Default)]
struct Numbers {
    of: HashMap<String, usize>,
}

/// What a worker knows of a symbol.
struct Known {
    number: usize,
    verdict: Verdict,
    isin: Option<DatedIsin>,
}

/// Reads the price files among `sources`.
pub(crate) fn read(
    sources: &[Source],
    market: Market,
    as_of: Option<NaiveDate>,
    references: &References,
    ledger: &mut Ledger<'_>,
    progress: &dyn Progress,
) -> Result<Prices, RawError> {
    let bars: Vec<&Source> = sources.iter().filter(|source| source.format.has_bars()).collect();
    let (with_isin, without): (Vec<&Source>, Vec<&Source>) =
        bars.iter().partition(|source| source.format.has_isin());
    let numbers = Mutex::new(Numbers::default());
    let mut gathered: Vec<Vec<Bar>> = Vec::new();
    let mut isins = HashMap::new();
    progress.start("price files", bars.len() as u64);
    for sources in [with_isin, without] {
        let screen = Screen { market, references, isins: &isins };
        let workers = read_in_order(
            &sources,
            || Worker {
                screen: &screen,
                numbers: &numbers,
                as_of,
                known: HashMap::new(),
                day: LastDay::default(),
            },
            |worker, source, outlet| {
                worker.read(source, outlet);
                progress.advance(1);
            },
            |position, mut piece: Piece<(usize, Bar)>| {
                let Some(source) = sources.get(position) else { return Ok(()) };
                ledger.book(source, &mut piece)?;
                for (number, bar) in piece.rows {
                    if number >= gathered.len() {
                        gathered.resize_with(number + 1, Vec::new);
                    }
                    gathered.get_mut(number).into_iter().for_each(|bars| bars.push(bar));
                }
                Ok(())
            },
        )?;
        let known: Vec<_> = workers.into_iter().map(|worker| worker.known).collect();
        merge_isins(&mut isins, known);
    }
    progress.finish();
    let numbers = numbers.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Prices { symbols: by_symbol(numbers, gathered, market), isins })
}

fn merge_isins(isins: &mut HashMap<String, DatedIsin>, known: Vec<HashMap<String, Known>>) {
    for (symbol, known) in known.into_iter().flatten() {
        if let Some(isin) = known.isin {
            let newest = isins.entry(symbol).or_insert(isin);
            *newest = isin.max(*newest);
        }
    }
}

fn by_symbol(numbers: Numbers, mut gathered: Vec<Vec<Bar>>, market: Market) -> Vec<Gathered> {
    let mut symbols: Vec<Gathered> = numbers
        .of
        .into_iter()
        .map(|(symbol, number)| {
            let is_index = symbol == super::screen::benchmark(market);
            let bars = gathered.get_mut(number).map(std::mem::take).unwrap_or_default();
            Gathered { symbol, is_index, bars }
        })
        .filter(|symbol| !symbol.bars.is_empty())
        .collect();
    symbols.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    symbols
}

impl Numbers {
    fn number(&mut self, symbol: &str) -> usize {
        let next = self.of.len();
        *self.of.entry(symbol.to_owned()).or_insert(next)
    }
}

struct Worker<'a> {
    screen: &'a Screen<'a>,
    numbers: &'a Mutex<Numbers>,
    as_of: Option<NaiveDate>,
    known: HashMap<String, Known>,
    day: LastDay,
}

impl Worker<'_> {
    fn read(&mut self, source: &Source, outlet: &Outlet<Piece<(usize, Bar)>>) {
        let Layout::Prices(columns) = &source.layout else { return };
        let mut piece = Piece::new();
        let outcome = source.records(|record| {
            let bar = if record.repeats(&source.header, columns.date) {
                Err(Reason::RepeatedHeader)
            } else {
                self.bar(columns, record, source.rank)
            };
            piece.add(record, bar);
            piece.full().is_none_or(|full| outlet.put(full))
        });
        if let Err(trouble) = outcome {
            piece.add_trouble(&trouble);
        }
        outlet.put(piece);
    }

    fn bar(&mut self, columns: &PriceColumns, record: &Record, file: u32) -> Result<(usize, Bar), Reason> {
        let row = columns.row(record, &mut self.day)?;
        if self.as_of.is_some_and(|as_of| row.date > as_of) {
            return Err(Reason::AfterAsOf);
        }
        let known = self.known(&row).ok_or(Reason::NoSymbol)?;
        if let Verdict::Refused(reason) = known.verdict.with_isin(row.isin) {
            return Err(reason);
        }
        let bar = Bar {
            date: row.date,
            file,
            line: record.line(),
            series: row.series,
            prices: row.prices,
            volume: row.volume,
            delivered: row.delivered,
        };
        Ok((known.number, bar))
    }

    /// What is known of the symbol of a row, with the row's ISIN added.
    fn known(&mut self, row: &PriceRow<'_>) -> Option<&Known> {
        let spelled = match self.screen.market {
            Market::Us => Some(us_listings::symbol_of(row.symbol)),
            Market::India => None,
        };
        let symbol = spelled.as_deref().unwrap_or(row.symbol);
        if !self.known.contains_key(symbol) {
            let number = self.numbers.lock().unwrap_or_else(PoisonError::into_inner).number(symbol);
            let known = Known { number, verdict: self.screen.judge(symbol), isin: None };
            self.known.insert(symbol.to_owned(), known);
        }
        let known = self.known.get_mut(symbol)?;
        if let Ok(isin) = <[u8; 12]>::try_from(row.isin) {
            known.isin = known.isin.max(Some((row.date, isin)));
        }
        Some(known)
    }
}
