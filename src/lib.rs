//! Parquote: market intelligence for Indian (NSE/BSE) and US (NYSE/NASDAQ) equities in one binary.
//!
//! # Bird's-eye view
//!
//! Market tables are Parquet files in a folder or an object store, published as a [`set::Set`]: an immutable list of content-named
//! files. A [`engine::Snapshot`] loads the sets of both markets into DataFusion, in process. A [`refresh::Refresher`] replaces it by the
//! next one when that has passed [`refresh::Admission`]. Every operation of the [`operation::Catalogue`] is a SQL file that answers
//! from these tables; [`picture`] draws rows as SVG or PNG.
//!
//! The [`call::Service`] is the one path of a call, behind an [`access::AccessControl`] that knows keys and counts their usage.
//! Adapters turn a protocol into a call and back: [`surface::http`] with the pages of [`surface::pages`], and [`surface::mcp`]. A few
//! operations have a Rust function around their SQL, one of [`handlers`]: [`language`] reads sentences, [`risk`] measures portfolios.
//! Those that take minutes are jobs, done by [`agents`] that ask a language model under the caller's own key and use the operations as
//! their tools.
//!
//! Before any of this, [`raw`] reads the files of exchanges and regulators, and [`mod@derive`] makes the tables from what they say;
//! [`mod@fetch`] brings such files from their hosts, and [`demo`] invents raw files for those who have none.
//!
//! One operation is one file under `queries/api`, one table is one file under `queries/tables`, one rule that tables keep is one
//! file under `queries/checks`, one reason for which figures of the past may differ is one file under `queries/audit`, one plain format of raw files is one file under `queries/raw`, one source of raw files is one file
//! under `sources`; everything else is machinery that iterates over them.
//!
//! # Invariants
//!
//! Arrows point one way: `main -> cli -> surface -> call -> refresh -> {handlers, derive, demo} -> {agents, raw} -> {engine, access,
//! fetch, language, risk} -> set -> {operation, state, picture} -> error`, within `surface`: `{http, mcp} -> {pages, openapi}`, and
//! within `agents`: `committee -> presets -> its own files -> {job, provider}`. `operation`,
//! `picture`, `surface::pages` and `surface::openapi` do no I/O. `operation` knows no DataFusion. `set` knows files and numbers,
//! not what is in them. `engine` knows no tiers, keys or protocols. `access` knows who may call and how often, `state` keeps it
//! in a file; neither knows a protocol. `fetch` knows files and hosts, no table; it asks a host only after a person agreed to its
//! terms. `agents` reach operations through a trait that `call` implements. `audit` stands beside `call`: it derives and compares, and serves nothing. `surface` has no rules. No SQL that answers users stands in Rust. State is immutable
//! and swapped: a request sees one snapshot from start to end. What is refused changes nothing that is served. A file of a set is
//! never written into. Values of callers are bound, never spliced. Keys of providers are encrypted at rest and never told.
//! Whatever a model reads of filings and files is marked as data; no number that it writes is shown unless a figure that it saw
//! supports it. Nothing depends on the wall clock but quotas, runs, the time stamp of a reply, whether a scan is stale, when a
//! set was published, when files are fetched, and that no session lies in the future.
//!
//! # Glossary
//!
//! - *whole* and *past* (of an audit): the tables that are published, and those derived from the same raw files as of a past day.
//!   *identity*: a check whose broken rows every derivation counts.
//! - *session*: a date on which a market really traded. *bar*: one stock's prices in one session.
//! - *price segment*: a stretch of a stock's bars without an unexplained jump; no figure looks across two.
//! - *cumulative split factor*: how many shares one share of a stock's first bar has become by splits and bonuses, up to a session.
//!   Long tables hold prices times it, so that no later split rescales them. *factor*: a session's over today's: what
//!   multiplies a bar's prices to adjust them to the shares of today, as answers have them.
//! - *universe*: the stocks against which relative strength is rated.
//! - *tradable*: of a stock, with a bar in the last five sessions and a median turnover over its last 20 bars that is large enough
//!   to trade; leaderboards list these.
//! - *fingerprint*: a hash over rows, or over what decides them: code, SQL and columns.
//! - *partition*: what tables consist of: a part of a calendar year of a long table, or a table in one file. *key* (of a partition): a
//!   fingerprint of its rules and of all that it is made from. A partition with the key of a partition of the set before is reused;
//!   every other one is computed as a whole. *warm start*: the rows of a stock computed from a later year on, with as many earlier bars as
//!   its figures look back on (*lookback*) and with the stored state of averages. *full rebuild*: a derivation that reuses nothing.
//! - *format* (of raw files): how files are recognised, labelled and dated, and what their rows are; *declared* in a file, or *coded*.
//!   *record*: a row of a raw file that is neither a bar, a figure nor user-supplied. *user-supplied*: of a table or row, written by
//!   the user in files of the table's name or of a declared format.
//! - *parse cache*: the parsed rows of raw files, kept for the next derivation. *instrument filter*: it decides, after the
//!   cache, which symbols' bars are used; *eligibility*: its decision on one symbol.
//! - *source* (of raw files): files of one kind from one host, declared in a file under `sources`. *host group*: hosts with one queue,
//!   one spacing and one page of terms. *core* (of sources): a session without their files is incomplete. *fetch manifest*: a line
//!   for every request, with its outcome. *rolling file*: one address whose content is replaced; every copy is kept under its
//!   moment of capture.
//! - *provenance*: where a raw row is from, in words: its `source` in answers.
//! - *set*: the published tables of one market under a number; its *id* is a hash over its content. *manifest*: its list of
//!   files. *inbox*: plain files that become a set. *retention*: how many sets are kept, and how long. *admission*: the checks that
//!   data must pass to be served. *finding*: one result of these checks.
//! - *snapshot*: the sets of both markets at one moment, ready to answer. *as of*: a market's last session in it.
//! - *operation*: a route, a tool, or both. *shape*: which parameters of a call are null and which words are chosen.
//! - *slot*: a place from which a reused plan reads a value when it runs.
//! - *tier*: what a key may call. *quota*: how often. *allowance*: the quota of a key with what is left of it.
//! - *tool*: an operation as language models call it; `get_chart` alone is none, and draws operations as pictures in a chat. *toolset*: the
//!   tools of a group or of a market.
//! - *picture*: rows drawn as SVG or PNG, by the *kind* and the columns in their *roles* that the file of their SELECT declares.
//! - *to open* (a set): to load a kept set and plan operations on it, so that it answers.
//! - *breaker*: what has requests to a provider, or with one key, fail at once for a *pause* after several failed in a row.
//! - *handler*: a Rust function that makes the answer of an operation. *job*: long work that survives a kill. *job handler*: the code that
//!   does jobs of one kind. *step*: a recorded part of a job's work. *lease*: how long a worker holds a job. *run*: the job of a
//!   preset or a committee, as its owner sees it.
//! - *preset*: a team of agents, declared in a file. *lens*: one of the three views that a committee takes of a stock. *gate*
//!   (of a lens): a figure and its threshold. *evidence*: the figures, dates and names that a run saw; a number of a report must be
//!   among them. *provider*: a company or server that offers language models. *owner*: whoever holds API keys; jobs and provider
//!   keys belong to an owner.
//! - *state*: the file of keys and counters, provider keys and jobs. *access control*: what lets callers in. *metered call*: a
//!   call of a caller who was let in, with what was taken of the allowance for it; it is committed or refunded.
//! - *web session*: a browser that is signed in. *sign-in code*: a text that signs one in once. *admin key*: one that manages the keys of
//!   all owners. *to depend on* (of a key): to share another key's allowance and to be revoked with it. *app*: a program that
//!   an owner lets in by OAuth.
//! - *prepared operation*: an operation, ready on the tables of one market. *prepared call*: what is asked of it, with the one text
//!   that names the answer. *deadline*: the moment by which a call must be answered, the wait for its turn included.
//! - *page*: HTML for a person who is signed in, at an address of its own; a cookie opens pages and no other path. *part* (of a page of the
//!   explorer): the answer of one operation on it. *view* (of a part): one way in which that answer is shown.
//! - *to drain* (of a server that is told to stop): to go on serving for a time, not ready any more, and to send callers away.
//! - *point lookup*: the rows of one key of a table. *late materialization*: rows are gathered only when it is known that they leave.

// What everything else uses: errors, operations, tables, and the state file.
pub mod error;
pub mod digits;
pub mod operation;
pub mod state;

// What is published: files and numbers.
pub mod set;

// How rows are drawn.
pub mod picture;

// How SQL runs.
pub mod engine;

// Who may call, and how often.
pub mod access;

// Sentences, and the mathematics of risk.
pub mod language;
pub mod risk;

// Work that takes minutes, and the language models that do it.
pub mod agents;

// Operations that need Rust around their SQL.
pub mod handlers;

// How raw files come from exchanges, regulators and vendors.
pub mod fetch;

// How tables come to be.
pub mod raw;
pub mod derive;
pub mod demo;

// How new data comes to be served.
pub mod refresh;

// How figures of the past are proved to be of their day.
pub mod audit;

// The one path of a call, and the protocols that lead to it.
pub mod call;
pub mod surface;

// The command line.
pub mod config;
pub mod cli;
