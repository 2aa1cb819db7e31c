//! Fetches official files from their hosts into the folder that `derive` reads, with limited request rates and safe against kills.
//!
//! A source is one file under `sources/`; no source is described in Rust. A host gets a request only after the user accepted its
//! terms, one request at a time, under one honest agent name. A status of 200 is not enough: the bytes of a file decide. The crate
//! knows no tables, no server and no command line, and does not read the environment; the caller passes keys and contact.
//!
//! Reading order: [`SourceCatalogue`] (all sources and hosts), [`FetchRequest`] and [`FetchSettings`] (the files that a caller
//! requests), [`FetchPlan`] (the requests that a run would send), [`Fetcher`] (the entry point), [`FetchReport`] (the result of a
//! run), [`SourceStatus`] (the state of a source), [`CoreFiles`] (complete sessions), [`Watch`] (the next task of a watching
//! process). Then the path of one file: `known_files` (the decision to request it, by the files on disk), `group_run` (the requests
//! of a run to one host group), `send` (one request with its retries), `host_queue` (its spacing), `client` (its bytes, and the
//! resuming of a download), `partial_download` (the bytes so far), `content_check` (the check of its content), `outcome_of_reply`
//! (its line of the manifest), `fetched_files` and `manifest` (its final path and its record).
//!
//! # Terms
//!
//! *source*: files of one kind from one host; a session without the files of a *core* source is incomplete. *group*: hosts with one
//! queue, one request spacing and one page of terms. *item*: the name of one file of a source, such as the date of a session.
//! *download*: the bytes of a file so far, with a note. *line*: a request in the manifest, with its outcome. *rolling file*: one
//! URL whose content is replaced; every copy is saved under its *capture*, the time at which it was taken.

mod error;
mod clock;
mod time_span;
mod vendor_key;

// Source declarations.
mod pass_on;
mod path_template;
mod expected_content;
mod filed_documents;
mod declared_source;
mod source;
mod host_group;
mod embedded;
mod source_catalogue;

// Requested files, files on disk, and the manifest.
mod outcome;
mod manifest;
mod folders;
mod consent;
mod fetch_request;
mod known_files;
mod core_files;
mod raw_listing;

// Requests of a run.
mod planned_request;
mod companies;
mod page_links;
mod s3;
mod backfill;
mod plan;

// A single request.
mod partial_download;
mod limits;
mod client;
mod host_queue;
mod send;

// Checks of a reply.
mod dates;
mod unpack_bound;
mod content_error;
mod file_rows;
mod content_check;
mod outcome_of_reply;
mod fetched_files;
mod recovered_download;

// A run.
mod context;
mod progress;
mod report;
mod group_run;
mod source_status;
mod fetcher;

// Schedules of a watching process.
mod schedule;
mod watch;

#[cfg(test)]
mod tests;

pub use backfill::{BackfillPart, BackfillStep};
pub use clock::{FetchClock, SystemClock};
pub use core_files::CoreFiles;
pub use declared_source::{CompanyId, Kind};
pub use embedded::embedded_sources;
pub use error::FetchError;
pub use fetch_request::{FetchRequest, FetchSettings, Need};
pub use fetcher::Fetcher;
pub use folders::Folders;
pub use host_group::HostGroup;
pub use limits::{Limits, Proxy};
pub use manifest::ManifestLine;
pub use outcome::FetchOutcome;
pub use pass_on::PassOnPermission;
pub use plan::FetchPlan;
pub use planned_request::{PlannedRequest, RequestReason};
pub use progress::{FetchProgress, SilentFetch};
pub use raw_listing::{RefreshRecord, raw_fingerprint};
pub use report::{ClosedGroup, FetchReport, FinishedRequest, ManualDownload};
pub use schedule::CronSchedule;
pub use source::Source;
pub use source_catalogue::SourceCatalogue;
pub use source_status::SourceStatus;
pub use vendor_key::{NoVendorKeys, VendorKey, VendorKeys};
pub use watch::{Watch, WatchRecord, WatchTask};
