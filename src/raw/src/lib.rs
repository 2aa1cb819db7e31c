//! Raw sources: exchange files as they are published, read into one market in memory.
//!
//! Files are found by their header lines, rows are judged one by one, then bars by symbol, then the market's dates; what is
//! left is one bar a symbol and session with what adjusts it. No row disappears: it is kept, refused with a reason, or found
//! to be a duplicate, and the report counts all three. The rules are those of the formula book, "Symbols, sessions, prices".

// What a market is made of.
mod domain;

// Work on all cores whose results keep their order, and bars that have no room in memory.
mod in_order;
mod spool;

// What is known beside bars.
mod symbols;
mod purposes;
mod ciks;
mod sectors;
mod common_stock;
mod security_name;
mod reference_data;

// What files are read into, what declares their formats, and a file for each format that needs code.
mod declared;
mod records;
mod user_tables;
mod statements;
mod formats;

// What the caller decides and is told.
mod options;
mod progress;
mod error;

// Files, how they are read and accounted for.
mod files;
mod accounts;
mod parse_cache;
mod elsewhere;
mod instrument_filter;
mod reference_files;
mod price_survey;
mod adjusted_steps;
mod gathered_bars;
mod price_files;
mod table_files;

// What became of every row.
pub mod report;
mod figures_read;

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
pub use elsewhere::{KnownSymbols, ParseElsewhere, ParsedElsewhere, UnparsedFile};
pub use error::RawError;
pub use figures_read::{Noted, StatementCounts};
pub use files::container::RawFileVersion;
pub use formats::labels as format_labels;
pub use in_order::{cores, map_in_order};
pub use kinds::RawKinds;
pub use options::RawOptions;
pub use parquote_encodings::unpack_bounds::UnpackBounds;
pub use parse::parse;
pub use progress::{Progress, Silent};
pub use purposes::PurposeWords;
pub use raw_market::RawMarket;
pub use records::columns::NamedColumns;
pub use spool::{Spool, Spooled};
pub use statements::row::StatementRow;
pub use statements::settle::Statements;
pub use user_tables::cell::UserCell;
pub use user_tables::cell::UserRow;
