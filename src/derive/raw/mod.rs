//! Raw sources: exchange files as they are published, read into one market in memory.
//!
//! Files are found by their header lines, rows are judged one by one, then bars by symbol, then the market's dates; what is
//! left is one bar a symbol and session with what adjusts it. No row disappears: it is kept, refused with a reason, or found
//! to be a duplicate, and [`Report`] counts all three. The rules are those of the formula book, "Symbols, sessions, prices".

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::NaiveDate;
use serde::Serialize;

use super::report::{Report, Unreadable};
use crate::operation::{Market, Table};

// What is read, and what becomes of it.
mod bar;
mod reason;
mod refused;

// Text to figures.
mod cells;
mod dates;

// Every encoding of rows to records of cells.
mod documents;
mod json_rows;
mod last_line;
mod parquet_rows;
mod rows;

// A price row, and a file for each format of prices.
mod price_row;

mod bhav_full;
mod bhav_old;
mod udiff;
mod us_prices;

// A fact of any other file, and a file for each of their formats.
mod fact;
mod sector_words;

mod accession;
mod actions;
mod cik;
mod cusips;
mod deals;
mod equity_list;
mod etf_list;
mod events;
mod filing_items;
mod filings;
mod index_day;
mod index_list;
mod industry;
mod insider_forms;
mod insider_trades;
mod investors;
mod market_cap;
mod positions;
mod price_bands;
mod purpose;
mod shareholding;
mod statements;
mod symbol_changes;
mod us_listings;
mod us_members;

// Files: which format they are of, where they lie, how they are read and accounted for.
mod format;

mod given_cell;
mod given_file;
mod object_rows;

mod bounds;

mod container;

mod files;

mod in_order;

mod provenance;

mod read_faults;

mod ledger;

mod placed;

// The steps to a market, in order.
mod references;

mod sectors;

mod share_classes;

mod screen;

mod remembered;

mod prices;

mod symbol_history;

mod overlap;

mod merge;

mod sessions;

mod action_list;

mod announced;

mod filed;
mod given;
mod held_before;

mod jump_rule;

mod adjust;

mod company_list;

mod exceptions;

mod assemble;

#[cfg(test)]
mod tests;

pub use bar::{Series, SymbolBars};
pub use bounds::Bounds;
pub use deals::{Deal, DealKind, Side};
pub use events::Event;
pub(crate) use fact::Note;
pub use filed::{Filed, Position};
pub use filings::Filing;
pub use given::GivenRow;
pub use given_cell::GivenCell;
pub(crate) use in_order::{cores, map_in_order};
pub use insider_forms::InsiderForm;
pub use insider_trades::InsiderTrade;
pub use investors::Investor;
pub use price_bands::Band;
pub use provenance::Provenance;
pub use purpose::EventKind;
pub use reason::Reason;
pub use refused::{RefusedCount, RefusedFile, RefusedRows, RefusedSink};
pub use sectors::SectorSource;
pub use shareholding::Holding;
pub use statements::{Basis, Span, StatementRow, Statements};

/// What the caller decides.
#[derive(Debug, Clone, Copy)]
pub struct RawOptions<'a> {
    /// The market whose files these are.
    pub market: Market,
    /// Rows after this date are refused; none means all are used.
    pub as_of: Option<NaiveDate>,
    /// The date of lists whose path has none; none means the last session.
    pub lists_as_of: Option<NaiveDate>,
    /// The tables that files of their name give.
    pub given: &'a [&'a Table],
    /// The folder that remembers what files of prices and statements gave, so that they need not be read again; none means that
    /// all are read.
    pub remembered: Option<&'a Path>,
    /// Whether files that cannot be read whole are used as far as they can.
    pub allow_unreadable: bool,
    /// What files may unpack to.
    pub bounds: Bounds,
}

/// Is told how far the reading is.
pub trait Progress: Sync {
    /// A step begins; `total` counts its items.
    fn start(&self, what: &str, total: u64);
    /// So many items more are done. Called from several threads.
    fn advance(&self, by: u64);
    /// A part of the step is done, which kept a core for so long; parts may overlap.
    fn part(&self, _what: &str, _took: Duration) {}
    /// The step is done.
    fn finish(&self);
}

/// Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn finish(&self) {}
}

/// Why raw files do not make a market.
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
    /// The list of refused rows cannot be written.
    #[error("cannot write the list of refused rows")]
    Sink {
        /// The reason.
        source: io::Error,
    },
    /// Files are damaged or cut, or cannot be opened; all of them are named.
    #[error("{}", read_faults::listed(files))]
    ReadFaults {
        /// The files, each with what is wrong with it.
        files: Vec<Unreadable>,
    },
    /// No file holds a usable bar of a common stock.
    #[error("no bar of a common stock in {}: {files} price files, {refused} rows refused", dir.display())]
    NoBars {
        /// The folder.
        dir: PathBuf,
        /// Price files that were read.
        files: u64,
        /// Rows refused.
        refused: u64,
    },
}

/// One market, cleaned: sessions, bars by symbol, and what is known beside them.
#[derive(Debug)]
pub struct RawMarket {
    /// The market.
    pub market: Market,
    /// By date; a session's position is its number.
    pub sessions: Vec<Session>,
    /// Common stocks, by symbol.
    pub stocks: Vec<SymbolBars>,
    /// Indices, and index funds that stand in for one.
    pub indices: Vec<SymbolBars>,
    /// One for each of `stocks`, in their order.
    pub companies: Vec<Company>,
    /// By index, date of the list, symbol.
    pub members: Vec<Member>,
    /// By symbol and ex-date.
    pub actions: Vec<Action>,
    /// Moves that no action explains, at each of which a history starts: by symbol and date, indices last.
    pub jumps: Vec<Jump>,
    /// By symbol and date.
    pub bands: Vec<Band>,
    /// By symbol and date; none where no file has deals.
    pub deals: Option<Vec<Deal>>,
    /// By symbol and date; none where no file has disclosures.
    pub trades: Option<Vec<InsiderTrade>>,
    /// By symbol and date; none where no file has shareholdings.
    pub holdings: Option<Vec<Holding>>,
    /// By symbol, statement and period; none where no file has statements.
    pub statements: Option<Statements>,
    /// By symbol and ex-date.
    pub events: Vec<Event>,
    /// What companies, insiders and institutions file with the SEC.
    pub filed: Filed,
    /// By table: the rows that files of its name give, in its order.
    pub given: BTreeMap<String, Vec<GivenRow>>,
    /// What became of every row.
    pub report: Report,
}

/// A date on which the market traded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session {
    /// The date.
    pub date: NaiveDate,
    /// Common stocks with a bar.
    pub stocks: u32,
}

/// What lists say of a stock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Company {
    /// The symbol.
    pub symbol: String,
    /// The company's name.
    pub name: Option<String>,
    /// India: the `Industry` of the lists.
    pub sector: Option<String>,
    /// Where the sector is from; none where there is none.
    pub sector_source: Option<SectorSource>,
    /// The level below the sector.
    pub industry: Option<String>,
    /// The ISIN.
    pub isin: Option<String>,
    /// The exchange.
    pub exchange: Option<String>,
    /// The day of listing.
    pub listed_on: Option<NaiveDate>,
    /// The main class of shares of the company, where the market cap of this class is that of the whole company.
    pub cap_counted_in: Option<String>,
}

/// A member of an index on a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The index, as `NIFTY500`.
    pub index: String,
    /// The date from which the list holds.
    pub list_date: NaiveDate,
    /// The member.
    pub symbol: String,
    /// The company's name on the list.
    pub name: Option<String>,
}

/// What a corporate action is, by the word for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// A split, or several shares made one.
    Split,
    /// Bonus shares.
    Bonus,
    /// Anything else; numbers of shares do not follow it.
    Other,
}

/// Where an action is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A file gives it.
    Given,
    /// Overlapping price files imply it; its ex-date is the first date on the new scale.
    Inferred,
}

/// A corporate action in force.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Action {
    /// The symbol.
    pub symbol: String,
    /// The first date on the new scale.
    pub ex_date: NaiveDate,
    /// The action as written.
    pub action: String,
    /// What it is.
    pub kind: ActionKind,
    /// What multiplies earlier prices.
    pub factor: f64,
    /// Where it is from.
    pub origin: Origin,
}

/// A move that is farther than price bands allow, from the close of a bar to the open of the next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Jump {
    /// The symbol.
    pub symbol: String,
    /// The session.
    pub date: NaiveDate,
    /// The symbol's bar before it.
    pub previous_date: NaiveDate,
    /// Unadjusted.
    pub open: f64,
    /// Unadjusted.
    pub previous_close: f64,
    /// Open over previous close.
    pub ratio: f64,
}

/// Reads all that lies anywhere under `dir`, the market's folder.
pub fn read(
    dir: &Path,
    options: &RawOptions<'_>,
    refused: &mut dyn RefusedSink,
    progress: &dyn Progress,
) -> Result<RawMarket, RawError> {
    assemble::market(dir, options, refused, progress)
}
