//! Reads every file without bars: lists, records, statements.
//!
//! Files are read in the order of the date in their path, so that a newer one has precedence; a file without a date counts as the newest.
//! Files of statements come from the parse cache, or are parsed.

use std::path::Path;

use chrono::NaiveDate;

use crate::accounts::ledger::{FilePiece, ReadPiece, RowLedger};
use crate::domain::note::FigureNote;
use crate::domain::reason::Reason;
use crate::elsewhere::RemoteParser;
use crate::error::RawError;
use crate::files::source::RawSource;
use crate::in_order::{PieceSender, read_in_order};
use crate::parse_cache::cache_folder::ParseCache;
use crate::parse_cache::statement_rows;
use crate::progress::Progress;
use crate::records::placed::RecordPosition;
use crate::records::raw_format::{Dating, Layout};
use crate::records::record::RawRecord;
use crate::reference_data::ReferenceData;
use crate::statements::gathered::GatheredStatements;
use crate::statements::piece::StatementPiece;
use crate::statements::record::StatementFile;
use parquote_catalogue::operation::Market;
use parquote_encodings::text::cells::CellRecord;
use parquote_encodings::text::{dates, symbols};

/// Parameters of reading files other than price files.
#[derive(Clone, Copy)]
pub(crate) struct ReferenceReading<'a> {
    pub(crate) market: Market,
    pub(crate) as_of: Option<NaiveDate>,
    /// The folder of the parse cache of files of statements.
    pub(crate) cache: Option<&'a Path>,
    pub(crate) elsewhere: RemoteParser<'a>,
}

/// A record with its line.
type ReadRecord = (u32, Box<dyn RawRecord>);

/// Consecutive rows of a file.
enum TakenPiece {
    Records(ReadPiece<ReadRecord>),
    Statements(Box<StatementPiece>),
}

/// Reads every source of records and of statements.
pub(crate) fn read(
    sources: &[RawSource],
    reading: ReferenceReading<'_>,
    ledger: &mut RowLedger<'_>,
    progress: &dyn Progress,
) -> Result<(ReferenceData, GatheredStatements), RawError> {
    let sources = oldest_first(sources);
    let ReferenceReading { market, as_of, cache, elsewhere } = reading;
    let of_statements: Vec<&RawSource> =
        sources.iter().copied().filter(|source| matches!(source.layout, Layout::Statements(_))).collect();
    // Without files of statements, no cache folder is created.
    let cache = ParseCache::open(cache.filter(|_| !of_statements.is_empty()), market);
    let mut reference = ReferenceData::default();
    let mut statements = GatheredStatements::default();
    progress.start("lists and actions", sources.len() as u64);
    elsewhere.fill(&cache, &of_statements, None)?;
    read_in_order(
        &sources,
        || ReferenceWorker { market, as_of, tomorrow: dates::tomorrow(), cache: &cache },
        |worker, source, outlet| {
            worker.take(source, outlet);
            progress.advance(1);
        },
        |position, taken| {
            let Some(source) = sources.get(position) else { return Ok(()) };
            match taken {
                TakenPiece::Records(mut piece) => {
                    ledger.book(source, &mut piece)?;
                    piece
                        .rows
                        .into_iter()
                        .for_each(|(line, record)| keep(record, line, source, &mut reference));
                }
                TakenPiece::Statements(piece) => {
                    ledger.ends(source, &piece.ending);
                    ledger.book_counts(source, &piece.counts, &piece.refused)?;
                    statements.append(piece.gathered, source);
                }
            }
            Ok(())
        },
    )?;
    cache.sweep(&of_statements);
    progress.finish();
    reference.add_funds_by_name();
    reference.add_funds_of_old_symbols();
    for (cik, sic) in statements.industries() {
        reference.sectors.add_sic_of_old(cik, sic);
    }
    Ok((reference, statements))
}

/// Returns the sources of records and statements, by the date in their path; those of late formats come last.
fn oldest_first(sources: &[RawSource]) -> Vec<&RawSource> {
    let mut dated: Vec<(NaiveDate, &RawSource)> = sources
        .iter()
        .filter(|source| matches!(source.layout, Layout::Records(_) | Layout::Statements(_)))
        .map(|source| (dates::in_path(&source.name).unwrap_or(NaiveDate::MAX), source))
        .collect();
    let age = |(date, source): &(NaiveDate, &'_ RawSource)| (source.kind.format.is_late(), *date);
    dated.sort_by(|a, b| (age(a), &a.1.name).cmp(&(age(b), &b.1.name)));
    dated.into_iter().map(|(_, source)| source).collect()
}

fn keep(record: Box<dyn RawRecord>, line: u32, source: &RawSource, into: &mut ReferenceData) {
    let at = RecordPosition { file: source.rank, line, path: &source.name, provenance: &source.provenance };
    record.keep(&at, into);
}

struct ReferenceWorker<'a> {
    market: Market,
    as_of: Option<NaiveDate>,
    /// The latest day on which anything can have happened.
    tomorrow: NaiveDate,
    cache: &'a ParseCache,
}

impl ReferenceWorker<'_> {
    /// Passes on the pieces of a file.
    fn take(&mut self, source: &RawSource, outlet: &PieceSender<TakenPiece>) {
        match &source.layout {
            Layout::Records(file) => {
                let reader = RowReader::new(source, self.as_of);
                let record = |row: &CellRecord| {
                    let mut record = file.record(row)?;
                    if self.market == Market::Us
                        && let Some(symbol) = record.symbol_mut()
                    {
                        *symbol = symbols::symbol_of(symbol);
                    }
                    let date = record.date();
                    if !record.is_announced() && date.is_some_and(|date| date > self.tomorrow) {
                        return Err(Reason::StillToCome);
                    }
                    Ok((record, date))
                };
                reader.read(file.symbol(), |_| None, record, |piece| outlet.send(TakenPiece::Records(piece)));
            }
            Layout::Statements(file) => self.take_statements(&**file, source, outlet),
            Layout::Prices(_) | Layout::UserTable(_) => {}
        }
    }

    /// Passes on the pieces of a file of statements, from the cache, then parsed.
    fn take_statements(
        &mut self,
        file: &dyn StatementFile,
        source: &RawSource,
        outlet: &PieceSender<TakenPiece>,
    ) {
        let mut done = 0_usize;
        let (mut is_whole, mut cached) = (false, self.cache.pieces(source).into_iter().flatten());
        for batch in cached.by_ref() {
            let piece =
                batch.ok().and_then(|batch| statement_rows::of_batch(&batch, source.rank, self.as_of));
            is_whole = piece.is_some();
            let Some(piece) = piece else { break };
            done += 1;
            if !outlet.send(TakenPiece::Statements(Box::new(piece))) {
                return;
            }
        }
        if is_whole {
            return;
        }
        let mut writer = self.cache.writer(source);
        let record = |row: &CellRecord| {
            let record = file.record(row)?;
            let date = record.date();
            if date > self.tomorrow {
                return Err(Reason::StillToCome);
            }
            Ok((record, Some(date)))
        };
        let put = |piece| {
            let piece = StatementPiece::gather(piece, source, self.market);
            if !statement_rows::is_lasting(&piece) {
                writer.give_up();
            } else if writer.is_writing() {
                writer.write(statement_rows::batch(&piece));
            }
            if let Some(left) = done.checked_sub(1) {
                done = left;
                return true;
            }
            let is_taken = outlet.send(TakenPiece::Statements(Box::new(piece)));
            if !is_taken {
                writer.give_up();
            }
            is_taken
        };
        let reader = RowReader::new(source, self.as_of);
        reader.read(file.symbol(), |row| file.note(row), record, put);
        writer.finish();
    }
}

/// Reads the rows of a file.
struct RowReader<'a> {
    source: &'a RawSource,
    as_of: Option<NaiveDate>,
    /// The date in the path, if rows are known from it.
    dated: Option<NaiveDate>,
}

impl<'a> RowReader<'a> {
    fn new(source: &'a RawSource, as_of: Option<NaiveDate>) -> Self {
        let is_dated_by_path = source.kind.format.dating() == Dating::Path;
        Self { source, as_of, dated: dates::in_path(&source.name).filter(|_| is_dated_by_path) }
    }

    /// Reads all rows; `symbol` is the column of the symbol, `put` takes the pieces and returns false to stop.
    fn read<T>(
        self,
        symbol: usize,
        note: impl Fn(&CellRecord) -> Option<FigureNote>,
        record: impl Fn(&CellRecord) -> Result<(T, Option<NaiveDate>), Reason>,
        mut put: impl FnMut(ReadPiece<(u32, T)>) -> bool,
    ) {
        let too_new = |date: NaiveDate| self.as_of.is_some_and(|as_of| date > as_of);
        let mut piece = FilePiece::for_source(self.source);
        let worded = self.source.worded_columns();
        let outcome = self.source.records(|row| {
            // If several columns may have the commas, the first with which the row can be parsed is used.
            let mut joined: Vec<CellRecord> =
                worded.iter().filter_map(|column| row.joined(*column, self.source.fields)).collect();
            let read = joined.iter().position(|row| record(row).is_ok()).unwrap_or_default();
            let joined = (read < joined.len()).then(|| joined.swap_remove(read));
            let row = joined.as_ref().unwrap_or(row);
            if let Some(note) = note(row) {
                piece.note(note);
                return piece.full().is_none_or(&mut put);
            }
            let read = if row.repeats(&self.source.header, symbol) {
                Err(Reason::RepeatedHeader)
            } else if row.holds_a_row(self.source.fields) {
                Err(Reason::OpenQuote)
            } else if row.fits(self.source.fields) {
                record(row)
            } else {
                Err(Reason::WrongFieldCount)
            };
            let read = read.and_then(|(read, date)| match self.dated.or(date) {
                Some(date) if too_new(date) => Err(Reason::AfterAsOf),
                _ => Ok((row.line(), read)),
            });
            piece.add(row, read);
            piece.full().is_none_or(&mut put)
        });
        put(piece.close_after(outcome));
    }
}
