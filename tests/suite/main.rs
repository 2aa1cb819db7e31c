//! The integration tests but for those that attack, kill or go on for a time, which are in `tests/endurance`: a real server over a
//! demo market that is made and derived once for each build.
//!
//! Reading order: what the tests stand on ([`demo_market`], [`server`], [`pattern`], [`schema`], [`tables`]), then the tests.
//! A new operation needs no line here: its cases are files under `tests/cases`, its rules are loops over the catalogue.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect has failed, and says so by stopping"
)]

/// As the program has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The demo market, raw and derived.
#[path = "../support/demo_market.rs"]
mod demo_market;

/// Rows of SELECTs, to compare with.
#[path = "../support/selected.rs"]
mod selected;

/// A real server and a client for it.
#[path = "../support/server.rs"]
mod server;

/// The program as a server in a process of its own.
#[expect(dead_code, reason = "the endurance tests use the rest")]
#[path = "../support/running_server.rs"]
mod running_server;

/// Keys for servers.
mod issued_key;

/// Sets that can be told apart by what they answer.
#[path = "../support/tagged_sets.rs"]
mod tagged_sets;

/// A server whose data is replaced.
#[path = "../support/live_server.rs"]
mod live_server;

/// A small S3.
mod fake_store;

/// The program as a child process that runs to its end.
#[path = "../support/program.rs"]
mod program;

/// A server over a plain folder whose files change.
#[path = "../support/refreshed_server.rs"]
mod refreshed_server;

/// A host of raw files.
#[expect(dead_code, reason = "the endurance tests use the rest")]
#[path = "../support/raw_host.rs"]
mod raw_host;

/// The demo's raw files at such a host.
#[expect(dead_code, reason = "the endurance tests use the rest")]
#[path = "../support/fetch_setup.rs"]
mod fetch_setup;

/// What sentences are read with.
#[path = "../support/grammar.rs"]
mod grammar;

/// What a case expects of a JSON document.
mod pattern;

/// The words of comments and names.
mod plain_words;

/// JSON against its schema.
mod schema;
mod searches;

/// What is empty, old or not there says so.
mod since_when;

/// Parquet files taken apart and put together again.
#[path = "../support/tables.rs"]
mod tables;

/// Plain folders of tables, made of markets in whatever layout.
#[path = "../support/plain_folder.rs"]
mod plain_folder;

/// Cases as files.
mod cases;

/// A server that has no data yet.
mod before_data;

/// Rules that hold for every operation.
mod catalogue_rules;

/// Rules of rows about companies.
mod company_rows;

/// Names of answers, and where their rows are from.
mod names_and_sources;

/// What the demo market is like.
mod demo_story;

/// Examples that say something in every field.
mod null_fields;

/// What keeps a stock in a screen or a scan, or out of it.
mod explained;

/// SELECTs that callers write.
mod own_select;

/// SELECTs on which the engine goes wrong in silence.
mod true_selects;

/// Generic plans against custom ones.
mod generic_plans;

/// Lists in parts.
mod paging;

/// Answers against their definitions, recomputed in plain SQL.
mod definitions;

/// Words of texts against the figures of statements.
mod texts;

/// Fundamental figures of a market made by hand, against arithmetic on paper.
mod on_paper;
mod optional_tables;

/// What is taken from a later day and says so.
mod assumed;

/// Sessions that the files lack.
mod missing_sessions;

/// Answers against the OpenAPI document.
mod documented;
mod openapi;

/// Entity tags, HEAD, compression.
mod http_rules;

/// The formats of an answer.
mod formats;
mod pictures;
mod explorer;
mod explorer_company;
mod screen_words;
mod exports;

/// The manual.
mod docs;

/// The explorer.
mod pages;

/// The worked examples of guides.
mod worked_examples;

/// The catalogue against the contract.
mod contract;

/// Which module may know which.
mod architecture;
/// No circle among files.
mod circles;

/// What a contribution touches.
mod contributing;

/// No type name stands for two things.
mod type_names;

/// Files that are not what they should be.
mod broken_data;

/// The explorer's operations over rows made by hand.
mod by_hand;

/// Tables against rules.
mod checks;

/// The same tables from an object store.
mod object_store;

/// Texts that spreadsheets take for formulas.
mod formulas;

/// Sets in an object store, and a store that fails.
mod stores;

/// A store that hangs, forgets, alters and loses.
mod lying_store;

/// Deadlines and memory limits.
mod limits;

/// A day more on a set that is there.
#[cfg(unix)]
mod next_day;

/// Raw files in the layouts of archives and web services.
mod as_published;

/// Raw files that are damaged, cut or gone.
#[cfg(unix)]
mod read_faults;

/// What decides the rows of a table, changed one by one.
#[cfg(unix)]
mod fingerprints;

/// A filing more on a set that is there.
#[cfg(unix)]
mod next_filing;

/// Tables that are replaced while they are served.
mod republish;

/// Data that changes or breaks while it is served.
mod refresh;

/// What is dated after the market's date is not told.
mod after_as_of;

/// No figure knows the future.
mod look_ahead;

/// Every figure of the past against what was known then.
mod audited;

/// Figures from published bars.
mod figures_again;

/// Tables that stay as they are.
mod kept_tables;

/// The command line, as a child process.
mod command_line;

/// Keys, tiers and quotas.
mod keys;

/// Sign-in, sessions and the portal.
mod portal;

/// The tools: the MCP endpoint and standard input and output.
mod mcp;

/// Query files that break a rule.
mod query_files;

/// Operations whose tables files of one's own give.
mod user_tables;

/// A market of filings alone.
mod without_prices;

/// Derivations whose pieces run apart.
mod units;

/// Symbols that companies had before.
mod renamed;

/// The same operations over real data, where there is some.
mod real;

/// An empty folder that becomes a market.
mod from_nothing;

/// Sets from the command line.
mod set_commands;

/// A server that speaks the protocols of language-model providers.
mod protocol_server;

/// Clients of providers against it.
mod providers;

/// Sentences and the screens that they mean.
mod natural_language;

/// Keys of providers, presets, committees: the operations that need Rust.
mod runs;
