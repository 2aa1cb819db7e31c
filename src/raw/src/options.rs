//! What the caller of the reading decides.

use std::path::Path;

use chrono::NaiveDate;

use crate::declared::format::DeclaredFormat;
use crate::elsewhere::ParseElsewhere;
use crate::purposes::PurposeWords;
use parquote_catalogue::operation::{Market, Table};
use parquote_encodings::unpack_bounds::UnpackBounds;

/// What the caller decides.
#[derive(Debug, Clone, Copy)]
pub struct RawOptions<'a> {
    /// The market whose files these are.
    pub market: Market,
    /// Rows after this date are refused; none means all are used.
    pub as_of: Option<NaiveDate>,
    /// The date of lists whose path has none; none means the last session.
    pub lists_as_of: Option<NaiveDate>,
    /// The tables that users supply in files of their name.
    pub user_tables: &'a [&'a Table],
    /// Formats of files of these tables that have other names, declared in files of `queries/raw`.
    pub declared_formats: &'a [DeclaredFormat],
    /// The words of corporate actions.
    pub purposes: &'a PurposeWords,
    /// The folder of the parse cache of prices and statements; none means that all files are parsed.
    pub parse_cache: Option<&'a Path>,
    /// Who parses files that the parse cache lacks, up to any date; none means that the reading does.
    pub elsewhere: Option<&'a dyn ParseElsewhere>,
    /// Whether files that cannot be read whole are used as far as they can.
    pub allow_unreadable: bool,
    /// What files may unpack to.
    pub bounds: UnpackBounds,
    /// Bytes of bars that may be in memory, besides those that are worked on; none means all.
    pub bars_held: Option<u64>,
    /// The folder of the file in which other bars wait; none means the system's.
    pub scratch: Option<&'a Path>,
}

impl RawOptions<'_> {
    /// All files of a market, parsed, none that cannot be read passed over; no user-supplied table.
    pub fn of(market: Market) -> Self {
        Self {
            market,
            as_of: None,
            lists_as_of: None,
            user_tables: &[],
            declared_formats: &[],
            purposes: PurposeWords::shipped(),
            parse_cache: None,
            elsewhere: None,
            allow_unreadable: false,
            bounds: UnpackBounds::default(),
            bars_held: None,
            scratch: None,
        }
    }
}
