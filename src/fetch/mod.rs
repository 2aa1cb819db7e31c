//! Fetching: official files come from their hosts into the folder that `derive` reads, politely and so that a kill costs nothing.
//!
//! A source is one file under `sources/`; nothing of one source stands in Rust. Hosts are asked only after a person agreed to
//! their terms, one request at a time, under one honest name. A status says nothing: files are judged by their bytes. The room
//! knows no tables, no server and no command line; the environment is not read here, keys and contact are handed in.
//!
//! Reading order: [`SourceCatalogue`] (what is known of sources and hosts), [`Wanted`] and [`FetchSettings`] (what a caller
//! wants), [`FetchPlan`] (what would be asked for), [`Fetcher`] (the entry), [`FetchReport`] (what came of it), [`SourceStatus`]
//! (what there is), [`CoreFiles`] (which sessions are complete), [`Watch`] (what a watching process does next); then `view` (what
//! follows from what is held), `round` (a run), `ask`, `client` and `pace` (one request), `judge` and `verdict` (what came),
//! `fetched_files`, `part` and `manifest` (how it is written down).
//!
//! # Words of this room
//!
//! *source*: files of one kind from one host. *group*: hosts with one queue and one politeness. *item*: one file of a source, as
//! a session's. *part*: a file on its way. *line*: a request in the manifest. *capture*: the moment at which a snapshot was taken.

mod error;
mod clock;
mod span;
mod key;

// What sources are.
mod template;
mod expect;
mod declared;
mod source;
mod host;
mod trading_days;
mod embedded;
mod source_catalogue;

// What is wanted, held and known.
mod outcome;
mod manifest;
mod folders;
mod consent;
mod wanted;
mod view;
mod core_files;
mod raw_listing;

// What would be asked for.
mod item;
mod companies;
mod links;
mod s3;
mod plan;

// One request.
mod part;
mod limits;
mod client;
mod pace;
mod ask;

// What came.
mod dates;
mod unpacked;
mod flaw;
mod rows;
mod judge;
mod looked;
mod verdict;
mod fetched_files;
mod recovered;

// A run.
mod kit;
mod progress;
mod report;
mod round;
mod list;
mod fetcher;

// When it is done.
mod schedule;
mod watch;

#[cfg(test)]
mod tests;

pub use clock::{FetchClock, SystemClock};
pub use core_files::CoreFiles;
pub use declared::Kind;
pub use embedded::embedded_sources;
pub use error::FetchError;
pub use fetcher::Fetcher;
pub use folders::Folders;
pub use host::HostGroup;
pub use item::{Item, Why};
pub use key::{NoVendorKeys, VendorKey, VendorKeys};
pub use limits::{Limits, Proxy};
pub use list::SourceStatus;
pub use manifest::ManifestLine;
pub use outcome::FetchOutcome;
pub use plan::FetchPlan;
pub use progress::{FetchProgress, SilentFetch};
pub use raw_listing::{RefreshRecord, raw_fingerprint};
pub use report::{ByHand, ClosedGroup, Ended, FetchReport};
pub use schedule::CronSchedule;
pub use source::Source;
pub use source_catalogue::SourceCatalogue;
pub use wanted::{FetchSettings, Need, Wanted};
pub use watch::{Watch, WatchRecord, WatchTask};
