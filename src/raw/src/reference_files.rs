//! Reads every file without bars: lists, records, statements.
//!
//! Files are read in the order of the date in their path, so that a newer one has precedence; a file without a date counts as the newest.
//! Files of statements come from the parse cache, or are parsed.

use std::path::Path;
use std::sync::mpsc::SyncSender;

use chrono::NaiveDate;

use crate::accounts::row_accounts::{ReadPiece, RowAccounts};
use crate::error::RawError;
use crate::files::source::RawSource;
use crate::in_order::read_in_order;
use crate::parse_cache::cache_folder::ParseCache;
use crate::parse_cache::statement_rows;
use crate::progress::Progress;
use crate::records::positioned_row::RecordPosition;
use crate::records::raw_format::Layout;
use crate::reference_data::ReferenceData;
use crate::remote_parse::RemoteParser;
use crate::row_reader::{ReadRecord, RecordReader, read_figures};
use crate::statements::gathered_statements::GatheredStatements;
use crate::statements::piece::StatementPiece;
use crate::statements::record::StatementFile;
use parquote_catalogue::operation::{DeclarationError, Market};
use parquote_encodings::text::dates;

/// Parameters of reading files other than price files.
#[derive(Clone, Copy)]
pub(crate) struct ReferenceReading<'a> {
    pub(crate) market: Market,
    pub(crate) as_of: Option<NaiveDate>,
    /// The folder of the parse cache of files of statements.
    pub(crate) cache: Option<&'a Path>,
    pub(crate) remote: RemoteParser<'a>,
}

/// Consecutive rows of a file.
enum ReferencePiece {
    Records(ReadPiece<ReadRecord>),
    Statements(Box<StatementPiece>),
    /// The declaration of the record has a mistake.
    Mistake(DeclarationError),
}

/// Reads every source of records and of statements.
pub(crate) fn read(
    sources: &[RawSource],
    reading: ReferenceReading<'_>,
    accounts: &mut RowAccounts<'_>,
    progress: &dyn Progress,
) -> Result<(ReferenceData, GatheredStatements), RawError> {
    let sources = oldest_first(sources);
    let ReferenceReading { market, as_of, cache, remote } = reading;
    let of_statements: Vec<&RawSource> =
        sources.iter().copied().filter(|source| matches!(source.layout, Layout::Statements(_))).collect();
    // Without files of statements, no cache folder is created.
    let cache = ParseCache::open(cache.filter(|_| !of_statements.is_empty()), market);
    let mut reference = ReferenceData::default();
    let mut statements = GatheredStatements::default();
    progress.start("lists and actions", sources.len() as u64);
    remote.fill(&cache, &of_statements, None)?;
    read_in_order(
        &sources,
        || ReferenceWorker { market, as_of, tomorrow: dates::tomorrow(), cache: &cache },
        |worker, source, sender| {
            worker.send_pieces(source, sender);
            progress.advance(1);
        },
        |position, piece| {
            let Some(source) = sources.get(position) else { return Ok(()) };
            match piece {
                ReferencePiece::Records(mut piece) => {
                    accounts.book(source, &mut piece)?;
                    let (file, path, provenance) = (source.rank, &*source.name, &source.provenance);
                    for (line, store) in piece.rows {
                        store(&RecordPosition { file, line, path, market, provenance }, &mut reference);
                    }
                }
                ReferencePiece::Mistake(mistake) => return Err(RawError::Declaration(mistake)),
                ReferencePiece::Statements(piece) => {
                    accounts.record_end(source, &piece.ending);
                    accounts.book_counts(source, &piece.counts, &piece.refused)?;
                    statements.append(piece.statements, source);
                }
            }
            Ok(())
        },
    )?;
    cache.sweep(&of_statements);
    progress.finish();
    reference.add_funds_by_name();
    reference.add_funds_of_old_symbols();
    for (cik, sic) in statements.sic_codes() {
        reference.sectors.add_older_sic(cik, sic);
    }
    Ok((reference, statements))
}

/// Returns the sources of records and statements, by the date in their path; those of late formats come last.
fn oldest_first(sources: &[RawSource]) -> Vec<&RawSource> {
    let mut with_dates: Vec<(NaiveDate, &RawSource)> = sources
        .iter()
        .filter(|source| matches!(source.layout, Layout::Records(_) | Layout::Statements(_)))
        .map(|source| (dates::in_path(&source.name).unwrap_or(NaiveDate::MAX), source))
        .collect();
    let age = |(date, source): &(NaiveDate, &'_ RawSource)| (source.kind.format.is_late(), *date);
    with_dates.sort_by(|a, b| (age(a), &a.1.name).cmp(&(age(b), &b.1.name)));
    with_dates.into_iter().map(|(_, source)| source).collect()
}

struct ReferenceWorker<'a> {
    market: Market,
    as_of: Option<NaiveDate>,
    /// The latest day on which anything can have happened.
    tomorrow: NaiveDate,
    cache: &'a ParseCache,
}

impl ReferenceWorker<'_> {
    /// Sends the pieces of a file to the thread that adds them to the data.
    fn send_pieces(&mut self, source: &RawSource, sender: &SyncSender<ReferencePiece>) {
        match &source.layout {
            Layout::Records(file) => {
                let rows = RecordReader { file, source, as_of: self.as_of, tomorrow: self.tomorrow };
                if let Err(mistake) = rows.read(|piece| sender.send(ReferencePiece::Records(piece)).is_ok()) {
                    sender.send(ReferencePiece::Mistake(mistake)).ok();
                }
            }
            Layout::Statements(file) => self.send_statements(&**file, source, sender),
            Layout::Prices(_) | Layout::UserTable(_) => {}
        }
    }

    /// Sends the pieces of a file of statements: first those in the cache, then the parsed ones.
    fn send_statements(
        &mut self,
        file: &dyn StatementFile,
        source: &RawSource,
        sender: &SyncSender<ReferencePiece>,
    ) {
        let mut sent = 0_usize;
        let (mut is_whole, mut cached) = (false, self.cache.pieces(source).into_iter().flatten());
        for batch in cached.by_ref() {
            let piece =
                batch.ok().and_then(|batch| statement_rows::piece_of_batch(&batch, source.rank, self.as_of));
            is_whole = piece.is_some();
            let Some(piece) = piece else { break };
            sent += 1;
            if sender.send(ReferencePiece::Statements(Box::new(piece))).is_err() {
                return;
            }
        }
        if is_whole {
            return;
        }
        let mut writer = self.cache.writer(source);
        let emit = |piece| {
            let piece = StatementPiece::gather(piece, source, self.market);
            if !statement_rows::is_lasting(&piece) {
                writer.give_up();
            } else if writer.is_writing() {
                writer.write(statement_rows::batch(&piece));
            }
            if let Some(remaining) = sent.checked_sub(1) {
                sent = remaining;
                return true;
            }
            let is_received = sender.send(ReferencePiece::Statements(Box::new(piece))).is_ok();
            if !is_received {
                writer.give_up();
            }
            is_received
        };
        read_figures(source, file, self.as_of, self.tomorrow, emit);
        writer.finish();
    }
}
