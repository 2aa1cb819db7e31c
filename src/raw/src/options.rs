//! The caller's options for reading raw files.

use std::path::Path;

use chrono::NaiveDate;

use crate::declared::format::DeclaredFormat;
use crate::purposes::PurposeWords;
use crate::remote_parse::FileParser;
use parquote_catalogue::operation::{Market, Table};
use parquote_encodings::unpack_bounds::UnpackBounds;

/// The caller's options for reading raw files.
#[derive(Debug, Clone, Copy)]
pub struct RawOptions<'a> {
    /// The market of the files.
    pub market: Market,
    /// Rows after this date are refused; `None` to use all.
    pub as_of: Option<NaiveDate>,
    /// The date of lists without a date in their path; `None` for the last session.
    pub lists_as_of: Option<NaiveDate>,
    /// User-supplied tables, in files named after them.
    pub user_tables: &'a [&'a Table],
    /// Declared formats of further files of these tables, from `queries/raw`.
    pub declared_formats: &'a [DeclaredFormat],
    /// The words of corporate actions.
    pub purposes: &'a PurposeWords,
    /// The folder of the parse cache of prices and statements; `None` to parse all files.
    pub parse_cache: Option<&'a Path>,
    /// Parser in other processes for files that the parse cache lacks, used only without an as-of date; `None` to parse all files here.
    pub remote_parser: Option<&'a dyn FileParser>,
    /// True if files that cannot be read whole are used as far as they can be read.
    pub allow_unreadable: bool,
    /// Limits of the unpacked size of files.
    pub bounds: UnpackBounds,
    /// Bytes of bars that may be in memory, in addition to those being processed; `None` for all.
    pub bars_memory_bytes: Option<u64>,
    /// The folder of the spool file of other bars; `None` for the system's temporary folder.
    pub scratch: Option<&'a Path>,
}

impl RawOptions<'_> {
    /// Returns the defaults: all files are parsed, read faults are fatal, and no table is user-supplied.
    pub fn for_market(market: Market) -> Self {
        Self {
            market,
            as_of: None,
            lists_as_of: None,
            user_tables: &[],
            declared_formats: &[],
            purposes: PurposeWords::built_in(),
            parse_cache: None,
            remote_parser: None,
            allow_unreadable: false,
            bounds: UnpackBounds::default(),
            bars_memory_bytes: None,
            scratch: None,
        }
    }
}
