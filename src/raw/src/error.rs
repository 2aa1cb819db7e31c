//! Reasons why raw files do not make a market. Faults of single rows are in the report, not here.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use crate::report::{FileNote, UnreadableFile};
use parquote_catalogue::operation::DeclarationError;

/// Files that are named in one message.
const NAMED: usize = 20;

/// Reason why raw files do not make a market.
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
    #[error("bars cannot wait in a file of {}; make room there, or let more of them be in memory by --derive-mib", folder.display())]
    Spool {
        /// The folder of the file.
        folder: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Files could not be parsed elsewhere.
    #[error(transparent)]
    Elsewhere(Box<dyn std::error::Error + Send + Sync>),
    /// Files are damaged, truncated or cannot be opened; all of them are named.
    #[error("{}", listed(files))]
    ReadFaults {
        /// The files, each with its fault.
        files: Vec<UnreadableFile>,
    },
    /// No file has a usable bar of a common stock.
    #[error(
        "no bar of a common stock in {}: {files} price files, {refused} rows refused; a market without prices needs a list of companies, \
         such as EQUITY_L.csv or company_tickers.json, and files that say when they were filed{}",
        dir.display(), noted(gave_nothing)
    )]
    NoBars {
        /// The folder.
        dir: PathBuf,
        /// Price files that were read.
        files: u64,
        /// Rows refused.
        refused: u64,
        /// Files of which no row was read, with the reasons.
        gave_nothing: Vec<FileNote>,
    },
}

/// Formats the files of which no row was read, a line each.
fn noted(files: &[FileNote]) -> String {
    let mut text = String::new();
    for FileNote { file, why } in files.iter().take(NAMED) {
        // Writing to memory does not fail.
        write!(text, "\n  {file}: {why}").ok();
    }
    if let Some(more) = files.len().checked_sub(NAMED).filter(|more| *more > 0) {
        write!(text, "\n  and {more} more").ok();
    }
    text
}

/// Formats the message on files that cannot be read whole.
fn listed(files: &[UnreadableFile]) -> String {
    let mut text = format!("{} of the raw files cannot be read whole:\n", files.len());
    for UnreadableFile { file, why, .. } in files.iter().take(NAMED) {
        // Writing to memory does not fail.
        writeln!(text, "  {file}: {why}").ok();
    }
    if let Some(more) = files.len().checked_sub(NAMED).filter(|more| *more > 0) {
        writeln!(text, "  and {more} more").ok();
    }
    text.push_str(
        "nothing is published; fetch the files again, or take them away. Where a file is whole and only lacks the end of its \
         last line, add one. --allow-unreadable uses what can be read of such files and names them in the report",
    );
    text
}
