//! Fetching: official files come from their hosts into the folder that `derive` reads, politely and so that a kill costs nothing.
//!
//! A source is one file under `sources/`; nothing of one source stands in Rust. Hosts are asked only after a person agreed to
//! their terms, one request at a time, under one honest name. A status says nothing: files are judged by their bytes. The room
//! knows no tables, no server and no command line; the environment is not read here, keys and contact are handed in.
//!
//! Reading order: [`Shelf`] (what is known of sources and hosts), [`Wanted`] and [`Settings`] (what a caller wants), [`Plan`]
//! (what would be asked for), [`Fetcher`] (the entry), [`Report`] (what came of it), [`Listed`] (what there is); then `view`
//! (what follows from what is held), `round` (a run), `ask`, `client` and `pace` (one request), `judge` and `verdict` (what
//! came), `desk`, `part` and `manifest` (how it is written down).
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
mod calendar;
mod embedded;
mod shelf;

// What is wanted, held and known.
mod outcome;
mod manifest;
mod folders;
mod consent;
mod wanted;
mod view;

// What would be asked for.
mod item;
mod companies;
mod links;
mod s3;
mod plan;

// One request.
mod part;
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
mod desk;
mod recovered;

// A run.
mod kit;
mod progress;
mod report;
mod round;
mod list;
mod fetcher;

#[cfg(test)]
mod tests;

pub use client::{Limits, Proxy};
pub use clock::{Clock, SystemClock};
pub use declared::Kind;
pub use embedded::embedded_sources;
pub use error::FetchError;
pub use fetcher::Fetcher;
pub use folders::Folders;
pub use host::HostGroup;
pub use item::{Item, Why};
pub use key::{Key, Keys, NoKeys};
pub use list::Listed;
pub use manifest::Line;
pub use outcome::Outcome;
pub use plan::Plan;
pub use progress::{Progress, Silent};
pub use report::{ByHand, ClosedGroup, Ended, Report};
pub use shelf::Shelf;
pub use source::Source;
pub use wanted::{Need, Settings, Wanted};
