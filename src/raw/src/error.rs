//! Reasons why no market can be derived from raw files. Faults of single rows are in the report, not here.

use std::io;
use std::path::PathBuf;

use crate::report::{FileNote, UnreadableFile};
use parquote_catalogue::digits::counted;
use parquote_catalogue::operation::DeclarationError;

/// Maximum number of files that a message names.
pub(crate) const MOST_NAMED: usize = 20;

/// Reason why no market can be derived from raw files.
#[derive(Debug, thiserror::Error)]
pub enum RawError {
    /// A folder cannot be listed.
    #[error("cannot list the folder {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The declaration of a format has a mistake.
    #[error(transparent)]
    Declaration(DeclarationError),
    /// The list of refused rows cannot be written.
    #[error("cannot write the list of refused rows")]
    Sink {
        /// The reason.
        source: io::Error,
    },
    /// Bars beyond the memory bound cannot be written to a file, or read from it.
    #[error("bars cannot be written to a temporary file in {}; free space there, or raise --derive-mib to hold more of them in memory", folder.display())]
    Spool {
        /// The folder of the file.
        folder: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Other processes could not parse files.
    #[error(transparent)]
    Elsewhere(Box<dyn std::error::Error + Send + Sync>),
    /// Files are damaged, truncated or cannot be opened; all of them are named.
    #[error("{}", unreadable_message(files))]
    ReadFaults {
        /// The files, each with its fault.
        files: Vec<UnreadableFile>,
    },
    /// No file has a usable bar of a common stock.
    #[error(
        "no bar of a common stock in {}: {}, {} refused; a market without prices needs a list of companies, \
         such as EQUITY_L.csv or company_tickers.json, and files that say when they were filed{}",
        dir.display(), counted(*files, "price file", "price files"), counted(*refused, "row", "rows"), unused_message(gave_nothing)
    )]
    NoBars {
        /// The folder.
        dir: PathBuf,
        /// Number of price files that were read.
        files: u64,
        /// Number of refused rows.
        refused: u64,
        /// Files from which no row was read, with the reasons.
        gave_nothing: Vec<FileNote>,
    },
}

/// Formats the files from which no row was read, a line each.
fn unused_message(files: &[FileNote]) -> String {
    file_lines(files.iter().map(|note| (&note.file, &note.why)))
}

/// Formats files with their reasons, a line each.
fn file_lines<'a>(files: impl ExactSizeIterator<Item = (&'a String, &'a String)>) -> String {
    let more = files.len().saturating_sub(MOST_NAMED);
    let lines = files.take(MOST_NAMED).map(|(file, why)| format!("\n  {file}: {why}"));
    lines.chain((more > 0).then(|| format!("\n  and {more} more"))).collect()
}

/// Formats the message on files that cannot be read whole.
fn unreadable_message(files: &[UnreadableFile]) -> String {
    format!(
        "{} of the raw files cannot be read whole:{}\nnothing is published; fetch the files again, or take them away. Where a file is \
         whole and only lacks the end of its last line, add one. --allow-unreadable uses what can be read of such files and names them \
         in the report",
        files.len(),
        file_lines(files.iter().map(|file| (&file.file, &file.why)))
    )
}
