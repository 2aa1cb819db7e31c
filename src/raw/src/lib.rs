//! Raw sources: exchange files as they are published, read into one market in memory.
//!
//! Files are recognised by their header lines. Rows are checked one by one, then the bars of each symbol, then the market's dates; the
//! result is one bar per symbol and session with its adjustment. Each row is used, refused with a reason, or dropped as a duplicate; the
//! report counts all three. The rules are those of the formula book, "Symbols, sessions, prices".

// The parts of a market.
mod domain;

// Ordered work on all cores, and bars beyond the memory bound.
mod in_order;
mod spool;

// Facts other than bars.
mod symbols;
mod purposes;
mod ciks;
mod sectors;
mod common_stock;
mod security_name;
mod reference_data;

// Targets of files, declarations of formats, and the formats that need code.
mod declared;
mod records;
mod user_tables;
mod statements;
mod formats;

// The caller's options, progress and errors.
mod options;
mod progress;
mod error;

// Files: how they are found, read and accounted for.
mod files;
mod accounts;
mod parse_cache;
mod remote_parse;
mod instrument_filter;
mod row_reader;
mod reference_files;
mod price_survey;
mod adjusted_steps;
mod gathered_bars;
mod price_files;
mod table_files;
mod readings;
mod same_columns;

// The report.
pub mod report;
mod figure_counts;

// The steps to a market, in order.
mod steps;
mod sec;
mod raw_market;
mod assemble;
mod parse;
mod kinds;

#[cfg(test)]
mod tests;

pub use accounts::refused::{RefusedCount, RefusedFile, RefusedRows, RefusedSink};
pub use assemble::read;
pub use declared::format::DeclaredFormat;
pub use domain::action::{Action, ActionKind, ActionOrigin};
pub use domain::bad_tick::BadTick;
pub use domain::bar::{Series, StockSpan, SymbolBars};
pub use domain::company::Company;
pub use domain::jump::Jump;
pub use domain::member::Member;
pub use domain::missing_sessions::MissingSessions;
pub use domain::reason::Reason;
pub use domain::sector_source::SectorSource;
pub use domain::session::Session;
pub use error::RawError;
pub use figure_counts::{StatementCounts, UnusedFigures};
pub use files::container::RawFileVersion;
pub use formats::labels as format_labels;
pub use in_order::{cores, map_in_order};
pub use kinds::RawKinds;
pub use options::RawOptions;
pub use parquote_encodings::unpack_bounds::UnpackBounds;
pub use parse::parse;
pub use progress::{Progress, SilentProgress};
pub use purposes::PurposeWords;
pub use raw_market::RawMarket;
pub use records::columns::NamedColumns;
pub use remote_parse::{FileParser, KnownSymbols, RemoteParseResult, UnparsedFile};
pub use spool::{Spool, SpooledValue};
pub use statements::row::StatementRow;
pub use statements::settle::Statements;
pub use user_tables::cell::UserCell;
pub use user_tables::cell::UserRow;
