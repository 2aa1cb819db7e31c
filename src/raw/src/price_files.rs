//! Reads every price file into bars by symbol.
//!
//! Files with ISINs are read first, so that rows without an ISIN can be judged by them. Rows come from the parse cache or are parsed; the
//! instrument filter selects those that are used. The results are collected by symbol, in [`gathered_bars`](super::gathered_bars).

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::NaiveDate;
use datafusion::arrow::array::RecordBatch;

use crate::accounts::ending::FileEnding;
use crate::accounts::row_accounts::{FilePiece, ReadPiece, RowAccounts};
use crate::adjusted_steps::AdjustedSteps;
use crate::domain::bar::Bar;
use crate::domain::provenance::Provenance;
use crate::domain::reason::Reason;
use crate::elsewhere::RemoteParser;
use crate::error::RawError;
use crate::files::source::RawSource;
use crate::gathered_bars::{BarsBySymbol, GatheredBars, PieceSymbol, PricePiece, SymbolNumbers};
use crate::in_order::read_in_order;
use crate::instrument_filter::{DatedIsin, Eligibility, InstrumentFilter};
use crate::parse_cache::cache_folder::{CacheWriter, ParseCache};
use crate::parse_cache::piece_batch::{PieceAccount, PieceValues};
use crate::parse_cache::price_rows::{self, ParsedPrice, PriceSplit, RowIsin};
use crate::price_survey::FileSurvey;
use crate::progress::Progress;
use crate::records::placed::PositionedRow;
use crate::records::price_columns::{LastDay, PriceColumns, PriceRow};
use crate::records::raw_format::Layout;
use crate::reference_data::{ReferenceData, WrittenAction};
use crate::spool::Spool;
use parquote_catalogue::operation::Market;
use parquote_encodings::text::cells::CellRecord;
use parquote_encodings::text::dates;
use parquote_encodings::text::file_name::file_name;
use parquote_encodings::text::symbols;

/// Contents of the price files.
#[derive(Debug, Default)]
pub(crate) struct PriceData {
    /// Bars of each symbol, ascending by symbol.
    pub(crate) symbols: Vec<GatheredBars>,
    /// ISINs by symbol.
    pub(crate) isins: HashMap<String, DatedIsin>,
    /// The splits in the files, without duplicates.
    pub(crate) splits: Vec<PositionedRow<WrittenAction>>,
    /// The date of the newest bar.
    pub(crate) last: Option<NaiveDate>,
}

/// Parameters of reading price files.
#[derive(Clone, Copy)]
pub(crate) struct PriceReading<'a> {
    pub(crate) market: Market,
    pub(crate) as_of: Option<NaiveDate>,
    pub(crate) reference: &'a ReferenceData,
    /// The folder of the parse cache of price files.
    pub(crate) cache: Option<&'a Path>,
    /// Spool of bars that exceed the memory bound.
    pub(crate) spool: &'a Arc<Spool>,
    pub(crate) remote: RemoteParser<'a>,
}

/// Reads the price files among `sources`; `isins` are the ISINs of price files that are not among `sources`.
pub(crate) fn read(
    sources: &[RawSource],
    reading: PriceReading<'_>,
    mut isins: HashMap<String, DatedIsin>,
    accounts: &mut RowAccounts<'_>,
    progress: &dyn Progress,
) -> Result<PriceData, RawError> {
    let PriceReading { market, as_of, reference, cache, spool, remote } = reading;
    let files: Vec<&RawSource> =
        sources.iter().filter(|source| matches!(source.layout, Layout::Prices(_))).collect();
    let has_isin =
        |source: &&&RawSource| matches!(&source.layout, Layout::Prices(columns) if columns.has_isin());
    let turns: (Vec<&RawSource>, Vec<&RawSource>) = files.iter().partition(has_isin);
    // Without price files, no cache folder is created.
    let cache = ParseCache::open(cache.filter(|_| !files.is_empty()), market);
    let numbers = Mutex::new(SymbolNumbers::default());
    let mut gathered = BarsBySymbol::default();
    let mut splits = BTreeMap::new();
    progress.start("price files", files.len() as u64);
    for sources in [turns.0, turns.1] {
        remote.fill(&cache, &sources, Some((reference, &isins)))?;
        let filter = InstrumentFilter { market, reference, isins: &isins };
        read_in_order(
            &sources,
            || PriceWorker {
                filter: &filter,
                numbers: &numbers,
                as_of,
                tomorrow: dates::tomorrow(),
                cache: &cache,
                known: HashMap::new(),
                day: LastDay::default(),
                named: None,
            },
            |worker, source, outlet| {
                worker.pass_pieces(source, outlet);
                progress.advance(1);
            },
            |position, piece: PricePiece| {
                let Some(source) = sources.get(position) else { return Ok(()) };
                for (number, split) in &piece.splits {
                    splits.insert((*number, split.ex_date), (source.rank, *split));
                }
                accounts.record_end(source, &piece.ending);
                accounts.book_counts(source, &piece.counts, &piece.refused)?;
                gathered.add(piece, sources.len() - position, spool.bound());
                if spool.bound().is_some_and(|bound| gathered.bytes > bound) {
                    gathered.spool_all(spool)?;
                }
                Ok(())
            },
        )?;
        isins.extend(gathered.isins(&numbers.lock().unwrap_or_else(PoisonError::into_inner)));
    }
    cache.sweep(&files);
    progress.finish();
    let numbers = numbers.into_inner().unwrap_or_else(PoisonError::into_inner);
    let last = gathered.last;
    let splits = splits.into_iter().filter_map(|((number, _), (rank, split))| {
        let symbol = numbers.symbols.get(number as usize)?.clone();
        let provenance = sources.get(rank as usize).map(|source| source.provenance.clone());
        Some(split.action(symbol, provenance.unwrap_or_default(), rank))
    });
    let splits = splits.collect();
    Ok(PriceData { symbols: gathered.by_symbol(numbers, market, spool)?, isins, splits, last })
}

impl PriceSplit {
    fn action(self, symbol: String, source: Provenance, file: u32) -> PositionedRow<WrittenAction> {
        let Self { line, ex_date, factor, .. } = self;
        let words = "split, as the price file says".to_owned();
        PositionedRow { row: WrittenAction { symbol, ex_date, words, factor, source }, file, line }
    }
}

struct PriceWorker<'a> {
    filter: &'a InstrumentFilter<'a>,
    numbers: &'a Mutex<SymbolNumbers>,
    as_of: Option<NaiveDate>,
    /// The last day of which there may be bars in any time zone.
    tomorrow: NaiveDate,
    cache: &'a ParseCache,
    /// Number and eligibility of each symbol.
    known: HashMap<String, (u32, Eligibility)>,
    day: LastDay,
    /// The date in the name of the file.
    named: Option<NaiveDate>,
}

/// The symbols of a piece that is being parsed, in the order of their first occurrence.
#[derive(Default)]
struct PieceSymbols {
    symbols: Vec<String>,
    /// Position and eligibility by symbol, as it is written.
    places: HashMap<String, (u32, Eligibility)>,
    splits: Vec<PriceSplit>,
    steps: AdjustedSteps,
}

impl PieceSymbols {
    /// Takes the symbols so far; the state of split detection is carried into the next piece.
    fn take_symbols(&mut self) -> Self {
        let steps = self.steps.clone();
        std::mem::replace(self, Self { steps, ..Self::default() })
    }
}

impl PriceWorker<'_> {
    /// Passes on the pieces of a file, from the cache or parsed.
    fn pass_pieces(&mut self, source: &RawSource, outlet: &SyncSender<PricePiece>) {
        let mut done = 0;
        for batch in self.cache.pieces(source).into_iter().flatten() {
            let Some(piece) = batch.ok().and_then(|batch| self.cached_piece(&batch, source)) else {
                return self.parse(source, done, outlet);
            };
            done += 1;
            if outlet.send(piece).is_err() {
                return;
            }
        }
        if done == 0 {
            self.parse(source, done, outlet);
        }
    }

    /// Returns a cached piece, if each row's verdict is the same as when it was parsed.
    fn cached_piece(&mut self, batch: &RecordBatch, source: &RawSource) -> Option<PricePiece> {
        let account = PieceValues(batch).account()?;
        let (symbols, rows) = price_rows::of_batch(batch, source.rank)?;
        let met = self.judge_symbols(symbols.iter().flatten());
        let is_same = |row: &ParsedPrice| {
            let met = met.get(row.symbol as usize);
            met.is_some_and(|met| row.unused == self.unused_reason(met.eligibility, row))
        };
        let splits = price_rows::splits(batch)?;
        rows.iter().all(is_same).then(|| PricePiece::from_rows(&rows, &splits, met, account))
    }

    /// Parses a file of which the first `done` pieces have been passed on already.
    fn parse(&mut self, source: &RawSource, mut done: usize, outlet: &SyncSender<PricePiece>) {
        let Layout::Prices(columns) = &source.layout else { return };
        let FileSurvey { columns, is_of_several } = FileSurvey::scan(source, columns);
        let mut writer = self.cache.writer(source);
        let mut piece = FilePiece::for_source(source);
        let mut of_piece = PieceSymbols::default();
        // Another file may write dates in another form.
        self.day = LastDay::default();
        // Files of the exchange are of one day; those of vendors have a history, whatever the day in their name.
        let is_of_day = self.filter.market == Market::India;
        self.named = dates::only_day_in_name(file_name(&source.name)).filter(|_| is_of_day);
        let outcome = source.records(|record| {
            if record.repeats(&source.header, columns.date) {
                piece.add(record, Err(Reason::RepeatedHeader));
            } else if is_of_several {
                piece.add(record, Err(Reason::SeveralSymbols));
            } else {
                match self.row(&columns, record, source.rank, &mut of_piece) {
                    Ok(row) => match row.unused {
                        None => piece.add(record, Ok(row)),
                        Some(reason) => piece.add_unused(record, row, reason),
                    },
                    Err(reason) => piece.add(record, Err(reason)),
                }
            }
            let Some(full) = piece.full() else { return true };
            let full_of = of_piece.take_symbols();
            self.emit_piece(full, &full_of, &mut writer, &mut done, outlet)
        });
        self.emit_piece(piece.close_after(outcome), &of_piece, &mut writer, &mut done, outlet);
        writer.finish();
    }

    /// Passes a parsed piece on, and writes it to the cache.
    fn emit_piece(
        &mut self,
        piece: ReadPiece<ParsedPrice>,
        of_piece: &PieceSymbols,
        writer: &mut CacheWriter,
        done: &mut usize,
        outlet: &SyncSender<PricePiece>,
    ) -> bool {
        let ReadPiece { rows, refused, read, ending, .. } = piece;
        let account = PieceAccount { read, refused, ending };
        let PieceSymbols { symbols, splits, .. } = of_piece;
        if matches!(account.ending, FileEnding::Fault(_)) {
            writer.give_up();
        } else if writer.is_writing() {
            writer.write(price_rows::batch(symbols, &rows, splits, &account));
        }
        if let Some(left) = done.checked_sub(1) {
            *done = left;
            return true;
        }
        let met = self.judge_symbols(symbols.iter().map(String::as_str));
        let is_taken = outlet.send(PricePiece::from_rows(&rows, splits, met, account)).is_ok();
        if !is_taken {
            writer.give_up();
        }
        is_taken
    }

    /// Parses the row in a record, whether it is used or not.
    fn row(
        &mut self,
        columns: &PriceColumns,
        record: &CellRecord,
        file: u32,
        of_piece: &mut PieceSymbols,
    ) -> Result<ParsedPrice, Reason> {
        let PriceRow {
            symbol,
            series,
            isin,
            date,
            prices,
            volume,
            delivered,
            split,
            adjusted,
            previous_close,
        } = columns.row(record, &mut self.day)?;
        // A day other than that of the name may be intended; the same digits with day and month swapped are a mistake.
        if self.named.is_some_and(|named| named != date && dates::swap_day_and_month(date) == Some(named)) {
            return Err(Reason::SwappedDate);
        }
        let (index, eligibility) = match of_piece.places.get(symbol) {
            Some(known) => *known,
            None => self.add_symbol(of_piece, symbol),
        };
        let line = record.line();
        let bar = Bar { date, file, line, series, prices, volume, delivered, previous_close };
        let row = ParsedPrice { symbol: index, bar, isin: RowIsin::from_cell(isin), unused: None };
        let row = ParsedPrice { unused: self.unused_reason(eligibility, &row), ..row };
        let implied = adjusted.and_then(|ratio| of_piece.steps.split(symbol, &row.bar, ratio));
        let stated = split.map(|shares| (date, shares.recip()));
        if let Some((ex_date, factor)) = stated.or(implied).filter(|_| row.unused.is_none()) {
            of_piece.splits.push(PriceSplit { symbol: index, line: row.bar.line, ex_date, factor });
        }
        Ok(row)
    }

    /// Adds a symbol to those of a piece.
    fn add_symbol(&mut self, of_piece: &mut PieceSymbols, written: &str) -> (u32, Eligibility) {
        let symbol = match self.filter.market {
            Market::Us => symbols::symbol_of(&symbols::clean(written)),
            Market::India => symbols::clean(written).to_uppercase(),
        };
        let (_, eligibility) = self.number(&symbol);
        let index = of_piece.symbols.len() as u32;
        of_piece.symbols.push(symbol);
        of_piece.places.insert(written.to_owned(), (index, eligibility));
        (index, eligibility)
    }

    /// Returns why a row of a symbol is not used.
    fn unused_reason(&self, eligibility: Eligibility, row: &ParsedPrice) -> Option<Reason> {
        if self.as_of.is_some_and(|as_of| row.bar.date > as_of) {
            return Some(Reason::AfterAsOf);
        }
        if row.bar.date > self.tomorrow {
            return Some(Reason::StillToCome);
        }
        eligibility.with_isin(row.isin.is_ine()).refusal()
    }

    /// Returns the numbers and eligibilities of symbols.
    fn judge_symbols<'s>(&mut self, symbols: impl Iterator<Item = &'s str>) -> Vec<PieceSymbol> {
        let met = symbols.map(|symbol| {
            let (number, eligibility) = self.number(symbol);
            PieceSymbol { number, eligibility, isin: None }
        });
        met.collect()
    }

    fn number(&mut self, symbol: &str) -> (u32, Eligibility) {
        if let Some(known) = self.known.get(symbol) {
            return *known;
        }
        let number = self.numbers.lock().unwrap_or_else(PoisonError::into_inner).number(symbol);
        let known = (number, self.filter.judge(symbol));
        self.known.insert(symbol.to_owned(), known);
        known
    }
}
