//! Reads every price file into bars by symbol.
//!
//! Files with ISINs are read first, so that their ISINs also decide on rows without one. Rows come from the parse cache or are parsed; the
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
use crate::records::positioned_row::PositionedRow;
use crate::records::price_columns::{LastDay, PriceColumns, PriceRow};
use crate::records::raw_format::Layout;
use crate::reference_data::{ReferenceData, WrittenAction};
use crate::remote_parse::RemoteParser;
use crate::spool::Spool;
use parquote_catalogue::operation::Market;
use parquote_encodings::text::cells::CellRecord;
use parquote_encodings::text::dates;
use parquote_encodings::text::file_name::file_name;
use parquote_encodings::text::symbols;

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
    let passes: (Vec<&RawSource>, Vec<&RawSource>) = files.iter().partition(has_isin);
    // Without price files, no cache folder is created.
    let cache = ParseCache::open(cache.filter(|_| !files.is_empty()), market);
    let numbers = Mutex::new(SymbolNumbers::default());
    let mut bars = BarsBySymbol::default();
    let mut splits = BTreeMap::new();
    progress.start("price files", files.len() as u64);
    for sources in [passes.0, passes.1] {
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
                seen_symbols: HashMap::new(),
                day: LastDay::default(),
                date_in_name: None,
            },
            |worker, source, sender| {
                worker.send_pieces(source, sender);
                progress.advance(1);
            },
            |position, piece: PricePiece| {
                let Some(source) = sources.get(position) else { return Ok(()) };
                for (number, split) in &piece.splits {
                    splits.insert((*number, split.ex_date), (source.rank, *split));
                }
                accounts.record_end(source, &piece.ending);
                accounts.book_counts(source, &piece.counts, &piece.refused)?;
                bars.add(piece, sources.len() - position, spool.bound());
                if spool.bound().is_some_and(|bound| bars.bytes > bound) {
                    bars.spool_all(spool)?;
                }
                Ok(())
            },
        )?;
        isins.extend(bars.isins(&numbers.lock().unwrap_or_else(PoisonError::into_inner)));
    }
    cache.sweep(&files);
    progress.finish();
    let numbers = numbers.into_inner().unwrap_or_else(PoisonError::into_inner);
    let last = bars.last;
    let splits = splits.into_iter().filter_map(|((number, _), (rank, split))| {
        let symbol = numbers.symbols.get(number as usize)?.clone();
        let provenance = sources.get(rank as usize).map(|source| source.provenance.clone());
        Some(split.into_action(symbol, provenance.unwrap_or_default(), rank))
    });
    let splits = splits.collect();
    Ok(PriceData { symbols: bars.by_symbol(numbers, market, spool)?, isins, splits, last })
}

impl PriceSplit {
    fn into_action(self, symbol: String, source: Provenance, file: u32) -> PositionedRow<WrittenAction> {
        let Self { line, ex_date, factor, .. } = self;
        let words = "split, as the price file says".to_owned();
        PositionedRow {
            row: WrittenAction { symbol, ex_date, words, factor, is_moved: false, source },
            file,
            line,
        }
    }
}

struct PriceWorker<'a> {
    filter: &'a InstrumentFilter<'a>,
    numbers: &'a Mutex<SymbolNumbers>,
    as_of: Option<NaiveDate>,
    /// The last day of which there may be bars in any time zone.
    tomorrow: NaiveDate,
    cache: &'a ParseCache,
    /// Number and eligibility of symbols that occurred already.
    seen_symbols: HashMap<String, (u32, Eligibility)>,
    day: LastDay,
    /// `None` if the name of the file has no date, or the file has a history.
    date_in_name: Option<NaiveDate>,
}

/// The symbols of a piece that is being parsed, in the order of their first occurrence.
#[derive(Default)]
struct PieceSymbols {
    symbols: Vec<String>,
    /// Position and eligibility of each symbol, by its spelling in the file.
    positions: HashMap<String, (u32, Eligibility)>,
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
    /// Sends the pieces of a file, cached or parsed, to the thread that collects the bars.
    fn send_pieces(&mut self, source: &RawSource, sender: &SyncSender<PricePiece>) {
        let mut sent = 0;
        for batch in self.cache.pieces(source).into_iter().flatten() {
            let Some(piece) = batch.ok().and_then(|batch| self.cached_piece(&batch, source)) else {
                return self.parse(source, sent, sender);
            };
            sent += 1;
            if sender.send(piece).is_err() {
                return;
            }
        }
        if sent == 0 {
            self.parse(source, sent, sender);
        }
    }

    /// Returns a cached piece; `None` if a row would now be used or refused otherwise than when it was parsed.
    fn cached_piece(&mut self, batch: &RecordBatch, source: &RawSource) -> Option<PricePiece> {
        let account = PieceValues(batch).account()?;
        let (symbols, rows) = price_rows::rows_of_batch(batch, source.rank)?;
        let symbols_in_piece = self.number_symbols(symbols.iter().flatten());
        let is_same = |row: &ParsedPrice| {
            let symbol = symbols_in_piece.get(row.symbol as usize);
            symbol.is_some_and(|symbol| row.unused == self.unused_reason(symbol.eligibility, row))
        };
        let splits = price_rows::splits(batch)?;
        rows.iter().all(is_same).then(|| PricePiece::from_rows(&rows, &splits, symbols_in_piece, account))
    }

    /// Parses a file whose first `sent` pieces have been sent already.
    fn parse(&mut self, source: &RawSource, mut sent: usize, sender: &SyncSender<PricePiece>) {
        let Layout::Prices(columns) = &source.layout else { return };
        let FileSurvey { columns, has_several_stocks } = FileSurvey::scan(source, columns);
        let mut writer = self.cache.writer(source);
        let mut piece = FilePiece::for_source(source);
        let mut piece_symbols = PieceSymbols::default();
        // Another file may write dates in another form.
        self.day = LastDay::default();
        // Files of the exchange are of one day; those of vendors have a history, whatever the day in their name.
        let is_of_day = self.filter.market == Market::India;
        self.date_in_name = dates::only_day_in_name(file_name(&source.name)).filter(|_| is_of_day);
        let outcome = source.records(|record| {
            if record.repeats(&source.header, columns.date) {
                piece.add(record, Err(Reason::RepeatedHeader));
            } else if has_several_stocks {
                piece.add(record, Err(Reason::SeveralSymbols));
            } else {
                match self.row(&columns, record, source.rank, &mut piece_symbols) {
                    Ok(row) => match row.unused {
                        None => piece.add(record, Ok(row)),
                        Some(reason) => piece.add_unused(record, row, reason),
                    },
                    Err(reason) => piece.add(record, Err(reason)),
                }
            }
            let Some(full_piece) = piece.take_if_full() else { return true };
            let symbols_of_full = piece_symbols.take_symbols();
            self.emit_piece(full_piece, &symbols_of_full, &mut writer, &mut sent, sender)
        });
        self.emit_piece(piece.close_after(outcome), &piece_symbols, &mut writer, &mut sent, sender);
        writer.finish();
    }

    /// Sends a parsed piece, and writes it to the cache.
    fn emit_piece(
        &mut self,
        piece: ReadPiece<ParsedPrice>,
        piece_symbols: &PieceSymbols,
        writer: &mut CacheWriter,
        sent: &mut usize,
        sender: &SyncSender<PricePiece>,
    ) -> bool {
        let ReadPiece { rows, refused, read, ending, .. } = piece;
        let account = PieceAccount { read, refused, ending };
        let PieceSymbols { symbols, splits, .. } = piece_symbols;
        if matches!(account.ending, FileEnding::Fault(_)) {
            writer.give_up();
        } else if writer.is_writing() {
            writer.write(price_rows::batch(symbols, &rows, splits, &account));
        }
        if let Some(remaining) = sent.checked_sub(1) {
            *sent = remaining;
            return true;
        }
        let symbols_in_piece = self.number_symbols(symbols.iter().map(String::as_str));
        let is_received =
            sender.send(PricePiece::from_rows(&rows, splits, symbols_in_piece, account)).is_ok();
        if !is_received {
            writer.give_up();
        }
        is_received
    }

    /// Parses the row in a record, whether it is used or not.
    fn row(
        &mut self,
        columns: &PriceColumns,
        record: &CellRecord,
        file: u32,
        piece_symbols: &mut PieceSymbols,
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
        let is_swapped = |named: NaiveDate| named != date && dates::swap_day_and_month(date) == Some(named);
        if self.date_in_name.is_some_and(is_swapped) {
            return Err(Reason::SwappedDate);
        }
        let (position, eligibility) = match piece_symbols.positions.get(symbol) {
            Some(entry) => *entry,
            None => self.add_symbol(piece_symbols, symbol),
        };
        let line = record.line();
        let bar = Bar { date, file, line, series, prices, volume, delivered, previous_close };
        let row = ParsedPrice { symbol: position, bar, isin: RowIsin::from_cell(isin), unused: None };
        let row = ParsedPrice { unused: self.unused_reason(eligibility, &row), ..row };
        let implied = adjusted.and_then(|ratio| piece_symbols.steps.split(symbol, &row.bar, ratio));
        let stated = split.map(|shares| (date, shares.recip()));
        if let Some((ex_date, factor)) = stated.or(implied).filter(|_| row.unused.is_none()) {
            piece_symbols.splits.push(PriceSplit { symbol: position, line: row.bar.line, ex_date, factor });
        }
        Ok(row)
    }

    /// Adds a symbol to those of a piece.
    fn add_symbol(&mut self, piece_symbols: &mut PieceSymbols, written: &str) -> (u32, Eligibility) {
        let symbol = match self.filter.market {
            Market::Us => symbols::normalize_us_symbol(&symbols::clean(written)),
            Market::India => symbols::clean(written).to_uppercase(),
        };
        let (_, eligibility) = self.number_and_eligibility(&symbol);
        let position = piece_symbols.symbols.len() as u32;
        piece_symbols.symbols.push(symbol);
        piece_symbols.positions.insert(written.to_owned(), (position, eligibility));
        (position, eligibility)
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

    fn number_symbols<'s>(&mut self, symbols: impl Iterator<Item = &'s str>) -> Vec<PieceSymbol> {
        let numbered = symbols.map(|symbol| {
            let (number, eligibility) = self.number_and_eligibility(symbol);
            PieceSymbol { number, eligibility, isin: None }
        });
        numbered.collect()
    }

    fn number_and_eligibility(&mut self, symbol: &str) -> (u32, Eligibility) {
        if let Some(entry) = self.seen_symbols.get(symbol) {
            return *entry;
        }
        let number = self.numbers.lock().unwrap_or_else(PoisonError::into_inner).number(symbol);
        let entry = (number, self.filter.eligibility(symbol));
        self.seen_symbols.insert(symbol.to_owned(), entry);
        entry
    }
}
