//! Parquote: market intelligence for Indian (NSE/BSE) and US (NYSE/NASDAQ) equities in one binary.
//!
//! # Bird's-eye view
//!
//! Market tables are Parquet files in a folder or an object store, published as a [`set::Set`]: an immutable list of content-named
//! files. A [`engine::Snapshot`] loads the sets of both markets into DataFusion, in process. A [`refresh::Refresher`] replaces it
//! by the next one once that has passed [`refresh::Admission`]. Every operation of the [`operation::Catalogue`] is a SQL file that
//! answers from these tables; [`picture`] draws rows as SVG or PNG.
//!
//! The [`call::Service`] is the one path of a call, behind an [`access::AccessControl`] that knows keys and counts their usage. Adapters
//! turn a protocol into a call and back: [`http`] with the pages of the [`explorer`], and [`mcp`]. A few operations have a Rust function
//! around their SQL, one of [`handlers`]: [`language`] reads sentences, [`risk`] measures portfolios, [`backtest`] tests picks of past
//! days. A SELECT that a caller wrote runs in a child process ([`select_process`]). Operations that take minutes are jobs, run by
//! [`agents`] that call a language model with the caller's provider key and use the operations as their tools. `parquote write`, and a run of
//! a server, has a model write rows from documents: the crate `parquote_write` checks each sentence against its paragraphs, by [`evidence`].
//!
//! Before any of this, [`raw`] reads the files of exchanges and regulators, which [`encodings`] decodes into rows, and
//! [`mod@derive`] computes the tables from them; [`mod@fetch`] downloads such files from their hosts, and [`demo`] generates raw
//! files of a fictional market. [`workers`] on other machines may take a share of the work.
//!
//! One operation is one file under `queries/api`, one table is one file under `queries/tables` (or it shares one, by `also:`), one
//! rule on tables is one file under `queries/checks`, one accepted reason for differences in past figures is one file under
//! `queries/audit`, one plain format of raw files is one file under `queries/raw`, one kind of record is one file under
//! `queries/records`, a word of screens in sentences is a line of a file under `queries/language`, one of corporate actions a line
//! under `queries/purposes`, a word that implies a sector one under `queries/sectors`, a word by which documents are read one under
//! `queries/tone`, a prompt for texts from documents is one file under `queries/write`, the costs of trades in a market are one file under
//! `queries/costs`, one source of raw files is one file under `sources`; everything else iterates over them.
//!
//! # Invariants
//!
//! Each crate is a folder `src/<crate>`; its `Cargo.toml` names the crates that it may use. So arrows point one way: `main -> cli -> {http,
//! mcp} -> explorer -> surface -> call -> {refresh, handlers} -> {derive, select_process, agents} -> {raw, engine, access, write} ->
//! {encodings, functions, set, language, risk, backtest, fetch, evidence} -> {operation, state, picture} -> error`. `operation`,
//! `evidence`, `picture`, `explorer` and `surface::openapi` do no I/O. `operation` knows no DataFusion. `set` knows files and numbers, not
//! what is in them. `engine` knows no tiers, keys or protocols. `access` knows which callers are admitted and their quotas, `state` stores
//! that in a file or a PostgreSQL database; neither knows a protocol. `fetch` knows files and hosts, no table; it sends requests to a host
//! only after the user accepted its terms. `agents` reach operations through a trait that `call` implements, and runs write rows through
//! one that `cli` implements. `audit` is on the layer of `call`: it derives and compares, and serves nothing. `workers` hands pieces of a
//! derivation to other machines and knows the one engine that carries plans there; `derive` knows a trait. `surface` has no rules. SQL that
//! answers users is in query files, never in Rust. State is immutable and swapped: a request sees one snapshot from start to end. Refused
//! data changes nothing that is served. A file of a set is never modified. Values of callers are bound, never spliced. Provider keys are
//! encrypted at rest and never shown. Text from filings and files is marked as data for a model; a number that it writes is shown only if a
//! figure that it saw supports it. Only these depend on the wall clock: quotas, runs, the day of a written row, the time stamp of a reply,
//! the staleness of a scan, the time of a publication and of a line of a ledger, the schedule of fetches, `parquote doctor`, and the check
//! that no session is in the future.
//!
//! # Glossary
//!
//! The `lib.rs` of each crate explains the words that it alone uses.
//!
//! - *session*: a date on which a market really traded. *bar*: one stock's prices in one session.
//! - *price segment*: a stretch of a stock's bars without an unexplained jump; no figure looks across two.
//! - *cumulative split factor*: how many shares one share of a stock's first bar has become by splits and bonuses, up to a session.
//!   Long tables hold prices times it, so that no later split rescales them. *factor*: the factor of a session over that of today.
//!   Answers multiply a bar's prices by it.
//! - *universe*: the stocks against which relative strength is rated. *tradable*: of a stock, with a bar in the last five sessions and
//!   a median turnover over its last 20 bars that is large enough to trade.
//! - *fingerprint*: a hash over rows, or over the code, SQL and columns that decide them. *identity*: a check whose broken rows every
//!   derivation counts.
//! - *partition*: a part of a calendar year of a long table, or a table in one file. *key* (of a partition): a fingerprint of its rules
//!   and inputs; a partition with the key of a published one is reused. *warm start*: the rows of a stock computed from a later year
//!   on, with the bars that its figures look back on (*lookback*). *full rebuild*: a derivation that reuses nothing.
//! - *format* (of raw files): how files are recognised, labelled and dated, and what their rows are; *declared* in a file, or *coded*
//!   in Rust. *record*: a row of a raw file that is neither a bar, a figure nor a row of a table; Rust code stores it.
//!   *user-supplied*: written by the user, in a file of a table's name or of a declared format. *staged*: of a table, made of the rows
//!   of raw files by the SELECT in its file.
//! - *unit* (of a derivation): a piece that reads files and writes files, and may run on another machine; its files pass
//!   through a *transfer store*.
//! - *source* (of raw files): files of one kind from one host, declared in a file under `sources`. *provenance*: the origin of a raw
//!   row, in words.
//! - *set*: the published tables of one market under a number; its *id* is a hash over its content. *manifest*: its list of files.
//!   *inbox*: plain files that become a set. *admission*: the checks that data must pass to be served. *finding*: one result of these
//!   checks.
//! - *ledger*: a file of the stocks that were in each scan, a line for each session, written on its day; each line has the hash of the line
//!   before; likewise, in the state, of the stocks of an owner's saved screen, or of the verdicts of a model. *head*: the hash of its last
//!   line. *correction*: a line that changes what the one before says of the same session. *pick*: a stock in a scan, from the session in
//!   which it was first recorded.
//! - *snapshot*: the sets of both markets at one moment, ready to answer. *as of*: a market's last session in it.
//! - *operation*: a route, a tool, or both. *shape* (of a call): which of its parameters are null and which words are chosen. *prepared
//!   operation*: an operation, ready on the tables of one market. *prepared call*: its arguments, with the one text that names the
//!   answer.
//! - *format* (of an answer): how its rows are written, such as JSON or CSV. *picture*: rows drawn as SVG or PNG.
//! - *tier*: the operations that a key may call. *quota*: its limit of calls. *allowance*: the quota of a key with its remainder.
//!   *metered call*: a call whose cost was taken from the allowance; it is committed or refunded. *owner*: the holder of keys; jobs and
//!   provider keys belong to an owner.
//! - *handler*: a Rust function that makes the answer of an operation. *job*: long work that survives a kill, in recorded *steps*.
//!   *run*: the job of a preset, of a committee, or of rows to write, as its owner sees it.
//! - *preset*: a team of agents, declared in a file. *lens*: one of the three views that a committee takes of a stock. *gate* (of a
//!   lens): a figure and its threshold. *evidence*: the figures, dates and names that a run saw; a number of a report must be among
//!   them. *provider*: a company or server that offers language models.
//! - *page*: HTML with its own URL. *part* (of a page): the answer of one operation on it. *view* (of a part): one way in which the page
//!   shows that answer. *section*: one of the six parts of the menu; its pages are its *tabs*. *lock*: the mark of a page that the reader's
//!   tier may not see.

// Shared by all: errors, operations and tables (all in `catalogue`), and the state file. `embed` is code for build scripts.
use parquote_catalogue::blocking;
pub use parquote_catalogue::{causes, digits, error, operation, thread_priority};
pub use parquote_state as state;

// Publication: files and numbers.
pub use parquote_set as set;

// Drawing of rows.
pub use parquote_picture as picture;

// Execution of SQL.
pub use parquote_engine as engine;
pub use parquote_functions as functions;

// Authentication and quotas.
pub use parquote_access as access;

// Natural-language screens, portfolio risk, and back-tests.
pub use parquote_backtest as backtest;
pub use parquote_language as language;
pub use parquote_risk as risk;

// Jobs that take minutes, their language models, and the check of their texts.
pub use parquote_agents as agents;
pub use parquote_evidence as evidence;

// SELECTs of callers, in separate processes.
pub use parquote_select_process as select_process;

// Operations with Rust code around their SQL.
pub use parquote_handlers as handlers;

// Download of raw files from exchanges, regulators and vendors.
pub use parquote_fetch as fetch;

// Computation of the tables.
#[cfg(feature = "demo")]
pub use parquote_demo as demo;
pub use parquote_derive as derive;
pub use parquote_encodings as encodings;
pub use parquote_raw as raw;

// Admission and serving of new data.
pub use parquote_refresh as refresh;

// Distribution of work to other machines.
pub use parquote_workers as workers;

// Proof that past figures used only the data of their day.
pub use parquote_audit as audit;

// The path of a call, and the protocols and pages that lead to it.
pub use parquote_call as call;
pub use parquote_explorer as explorer;
pub use parquote_http as http;
pub use parquote_mcp as mcp;
pub use parquote_surface as surface;
mod routes;
pub use routes::routes;

// The command line.
pub mod config;
pub mod cli;
