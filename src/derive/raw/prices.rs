//! Reads every price file into bars by symbol.
//!
//! Formats that say ISINs are read first, so that those without are screened by them. A symbol is judged once a worker; the
//! bars of a symbol arrive in the order of the files and are not yet sorted or free of duplicates. What is remembered of a
//! file is taken instead of reading it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use chrono::NaiveDate;

use super::bar::Bar;
use super::cells::Record;
use super::files::Source;
use super::format::Layout;
use super::in_order::{Outlet, read_in_order};
use super::ledger::{Ledger, Piece, ReadPiece};
use super::price_row::{LastDay, PriceColumns, PriceRow};
use super::reason::Reason;
use super::references::References;
use super::remembered::{KnownSymbol, Memory, Origin, PieceBytes, Recalled, Remembered, Remembering};
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
    /// The date of the newest bar.
    pub(crate) last: Option<NaiveDate>,
}

/// How price files are read.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) market: Market,
    pub(crate) as_of: Option<NaiveDate>,
    pub(crate) references: &'a References,
    /// The folder that remembers what price files gave.
    pub(crate) remembered: Option<&'a Path>,
}

/// Consecutive rows of a price file.
#[derive(Debug)]
pub(crate) struct PricePiece {
    /// Bars, each with the number of its symbol.
    pub(crate) piece: ReadPiece<(u32, Bar)>,
    /// The symbols whose verdict told what became of a row, each once.
    pub(crate) met: Vec<Met>,
    pub(crate) origin: Origin,
}

/// A symbol met in a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Met {
    pub(crate) number: u32,
    /// The newest ISIN that a row gives.
    pub(crate) isin: Option<DatedIsin>,
}

/// Symbols in the order in which they were met, which numbers them.
#[derive(Default)]
struct Numbers {
    symbols: Vec<String>,
    of: HashMap<String, u32>,
}

/// By number of a symbol: what was gathered of it.
#[derive(Default)]
struct BySymbol {
    bars: Vec<Vec<Bar>>,
    isins: Vec<Option<DatedIsin>>,
    /// The date of the newest bar.
    last: Option<NaiveDate>,
}

/// Reads the price files among `sources`.
pub(crate) fn read(
    sources: &[Source],
    reading: Reading<'_>,
    ledger: &mut Ledger<'_>,
    progress: &dyn Progress,
) -> Result<Prices, RawError> {
    let Reading { market, as_of, references, .. } = reading;
    let bars: Vec<&Source> = sources.iter().filter(|source| source.format.has_bars()).collect();
    let turns: (Vec<&Source>, Vec<&Source>) = bars.iter().partition(|source| source.format.has_isin());
    // Where there is no price file, no folder is made for what they give.
    let remembered = Remembered::open(reading.remembered.filter(|_| !bars.is_empty()), as_of);
    let mut remembering = Remembering::begin(&remembered);
    let numbers = Mutex::new(Numbers::of(remembered.symbols()));
    let mut gathered = BySymbol::with_room_for(remembered.symbols());
    let (nothing, mut isins) = (HashMap::new(), HashMap::new());
    progress.start("price files", bars.len() as u64);
    for (turn, sources) in [turns.0, turns.1].into_iter().enumerate() {
        let screen = Screen { market, references, isins: &isins };
        let stands = remembered.stands(turn, |symbol| screen.judge(symbol));
        read_in_order(
            &sources,
            || Worker {
                screen: &screen,
                numbers: &numbers,
                as_of,
                memory: remembered.memory(&stands),
                known: HashMap::new(),
                day: LastDay::default(),
                met: Vec::new(),
                pieces: 0,
            },
            |worker, source, outlet| {
                worker.take(source, outlet);
                progress.advance(1);
            },
            |position, mut piece: PricePiece| {
                let Some(source) = sources.get(position) else { return Ok(()) };
                ledger.book(source, &mut piece.piece)?;
                let PricePiece { piece: read, origin, .. } = &piece;
                remembering.add(source, origin, (read.read, &read.refused), &read.ending);
                gathered.add(piece);
                Ok(())
            },
        )?;
        let numbers = numbers.lock().unwrap_or_else(PoisonError::into_inner);
        isins = gathered.isins(&numbers);
    }
    let numbers = numbers.into_inner().unwrap_or_else(PoisonError::into_inner);
    let screens = [&nothing, &isins].map(|isins| Screen { market, references, isins });
    remembering.finish(gathered.known(&numbers, &screens));
    progress.finish();
    let last = gathered.last;
    Ok(Prices { symbols: gathered.by_symbol(numbers, market), isins, last })
}

impl Numbers {
    fn of(known: &[KnownSymbol]) -> Self {
        let symbols: Vec<String> = known.iter().map(|known| known.symbol.clone()).collect();
        Self { of: symbols.iter().cloned().zip(0..).collect(), symbols }
    }

    fn number(&mut self, symbol: &str) -> u32 {
        if let Some(number) = self.of.get(symbol) {
            return *number;
        }
        let number = self.symbols.len() as u32;
        self.symbols.push(symbol.to_owned());
        self.of.insert(symbol.to_owned(), number);
        number
    }
}

impl BySymbol {
    /// Has room for as many bars as there were before, and a few more.
    fn with_room_for(known: &[KnownSymbol]) -> Self {
        /// Bars that a few days add.
        const MORE: usize = 8;
        let room = |known: &KnownSymbol| if known.bars == 0 { 0 } else { known.bars + MORE };
        let bars = known.iter().map(|known| Vec::with_capacity(room(known))).collect();
        Self { bars, isins: vec![None; known.len()], last: None }
    }

    fn add(&mut self, piece: PricePiece) {
        for met in piece.met {
            let number = met.number as usize;
            if number >= self.bars.len() {
                self.bars.resize_with(number + 1, Vec::new);
                self.isins.resize(number + 1, None);
            }
            if let Some(isin) = self.isins.get_mut(number) {
                *isin = met.isin.max(*isin);
            }
        }
        self.last = self.last.max(piece.piece.rows.iter().map(|(_, bar)| bar.date).max());
        for (number, bar) in piece.piece.rows {
            if let Some(bars) = self.bars.get_mut(number as usize) {
                bars.push(bar);
            }
        }
    }

    fn isins(&self, numbers: &Numbers) -> HashMap<String, DatedIsin> {
        let pairs = numbers.symbols.iter().zip(&self.isins);
        pairs.filter_map(|(symbol, isin)| Some((symbol.clone(), (*isin)?))).collect()
    }

    /// The symbols as they are to be remembered; `screens` judge them in each turn.
    fn known(&self, numbers: &Numbers, screens: &[Screen<'_>; 2]) -> Vec<KnownSymbol> {
        let pairs = numbers.symbols.iter().zip(&self.bars);
        let known = pairs.map(|(symbol, bars)| KnownSymbol {
            symbol: symbol.clone(),
            verdicts: screens.each_ref().map(|screen| screen.judge(symbol).words().to_owned()),
            bars: bars.len(),
        });
        known.collect()
    }

    fn by_symbol(mut self, numbers: Numbers, market: Market) -> Vec<Gathered> {
        let pairs = numbers.symbols.into_iter().zip(std::mem::take(&mut self.bars));
        let mut symbols: Vec<Gathered> = pairs
            .filter(|(_, bars)| !bars.is_empty())
            .map(|(symbol, bars)| {
                let is_index = symbol == super::screen::benchmark(market);
                Gathered { symbol, is_index, bars }
            })
            .collect();
        symbols.sort_by(|a, b| a.symbol.cmp(&b.symbol));
        symbols
    }
}

/// What a worker knows of a symbol.
struct Known {
    number: u32,
    verdict: Verdict,
    /// The piece in which it was met last, and its place among those met there.
    met: Option<(u64, usize)>,
}

struct Worker<'a> {
    screen: &'a Screen<'a>,
    numbers: &'a Mutex<Numbers>,
    as_of: Option<NaiveDate>,
    memory: Memory<'a>,
    known: HashMap<String, Known>,
    day: LastDay,
    /// The symbols of the piece that is being read.
    met: Vec<Met>,
    /// Pieces read.
    pieces: u64,
}

impl Worker<'_> {
    /// Hands on what a file gives: what is remembered of it, then what is read.
    fn take(&mut self, source: &Source, outlet: &Outlet<PricePiece>) {
        match self.memory.recall(source, |piece| outlet.put(piece)) {
            Recalled::All => {}
            Recalled::First(pieces) => self.read(source, pieces, outlet),
        }
    }

    /// Reads a file; its first pieces are handed on already.
    fn read(&mut self, source: &Source, mut done: usize, outlet: &Outlet<PricePiece>) {
        let Layout::Prices(columns) = &source.layout else { return };
        let is_worth = self.memory.is_worth(source);
        let mut piece = Piece::of(source);
        let outcome = source.records(|record| {
            let bar = if record.repeats(&source.header, columns.date) {
                Err(Reason::RepeatedHeader)
            } else {
                self.bar(columns, record, source.rank)
            };
            piece.add(record, bar);
            piece.full().is_none_or(|full| self.put(full, is_worth, &mut done, outlet))
        });
        self.put(piece.close_after(outcome), is_worth, &mut done, outlet);
    }

    fn put(
        &mut self,
        piece: ReadPiece<(u32, Bar)>,
        is_worth: bool,
        done: &mut usize,
        outlet: &Outlet<PricePiece>,
    ) -> bool {
        let met = std::mem::take(&mut self.met);
        self.pieces += 1;
        if let Some(left) = done.checked_sub(1) {
            *done = left;
            return true;
        }
        let origin = Origin::Read(is_worth.then(|| PieceBytes::of(&piece, &met)));
        outlet.put(PricePiece { piece, met, origin })
    }

    fn bar(&mut self, columns: &PriceColumns, record: &Record, file: u32) -> Result<(u32, Bar), Reason> {
        let row = columns.row(record, &mut self.day)?;
        if self.as_of.is_some_and(|as_of| row.date > as_of) {
            return Err(Reason::AfterAsOf);
        }
        let (number, verdict) = self.meet(&row).ok_or(Reason::NoSymbol)?;
        if let Verdict::Refused(reason) = verdict.with_isin(row.isin) {
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
        Ok((number, bar))
    }

    /// Number of and verdict on the symbol of a row, whose ISIN is added to those of the piece.
    fn meet(&mut self, row: &PriceRow<'_>) -> Option<(u32, Verdict)> {
        let spelled = match self.screen.market {
            Market::Us => Some(us_listings::symbol_of(row.symbol)),
            Market::India => None,
        };
        let symbol = spelled.as_deref().unwrap_or(row.symbol);
        if !self.known.contains_key(symbol) {
            let number = self.numbers.lock().unwrap_or_else(PoisonError::into_inner).number(symbol);
            let known = Known { number, verdict: self.screen.judge(symbol), met: None };
            self.known.insert(symbol.to_owned(), known);
        }
        let known = self.known.get_mut(symbol)?;
        let place = match known.met {
            Some((piece, place)) if piece == self.pieces => place,
            _ => {
                self.met.push(Met { number: known.number, isin: None });
                self.met.len() - 1
            }
        };
        known.met = Some((self.pieces, place));
        if let Ok(isin) = <[u8; 12]>::try_from(row.isin)
            && let Some(met) = self.met.get_mut(place)
        {
            met.isin = met.isin.max(Some((row.date, isin)));
        }
        Some((known.number, known.verdict))
    }
}
