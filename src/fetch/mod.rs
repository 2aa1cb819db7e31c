//! Fetching: official files come from their hosts into the folder that `derive` reads, politely and so that a kill costs nothing.
//!
//! A source is one file under `sources/`; no source is described in Rust. A host gets a request only after a person agreed to its
//! terms, one request at a time, under one honest agent name. A status of 200 proves nothing: files are judged by their bytes. The module
//! knows no tables, no server and no command line, and does not read the environment; the caller passes keys and contact.
//!
//! Reading order: [`SourceCatalogue`] (all sources and hosts), [`Wanted`] and [`FetchSettings`] (the files that a caller wants),
//! [`FetchPlan`] (the requests that a run would send), [`Fetcher`] (the entry), [`FetchReport`] (the result of a run), [`SourceStatus`]
//! (the state of a source), [`CoreFiles`] (which sessions are complete), [`Watch`] (the next task of a watching process); then `view`
//! (which files to request, by the files on disk), `round` (the requests of a run to one group of hosts), `ask` (one request with its
//! retries), `pace` (its turn), `client` (its bytes, and where a download resumes), `part` (a download in progress), `judge` and `verdict`
//! (the judgement of a file), `fetched_files` and `manifest` (how a file is put into its place and noted).
//!
//! # Words of this module
//!
//! *source*: files of one kind from one host. *group*: hosts with one queue and one spacing of requests. *item*: one file of a source, such
//! as that of a session. *part*: a download in progress. *line*: a request in the manifest. *capture*: the moment at which a snapshot was
//! taken.

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

// The files that a caller wants, the files on disk, and the manifest.
mod outcome;
mod manifest;
mod folders;
mod consent;
mod wanted;
mod view;
mod core_files;
mod raw_listing;

// The requests of a run.
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

// The judgement of a reply.
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

// When a watching process fetches.
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
