//! The integration tests except for attacks, kills and long runs, which are in `tests/endurance`: a real server over a
//! demo market that is made and derived once per build.
//!
//! Reading order: the foundations ([`demo_market`], [`server`], [`pattern`], [`schema`], [`tables`]), then the tests.
//! A new operation needs no line here: its cases are files under `tests/cases`, its rules are loops over the catalogue.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect has failed, and says so by stopping"
)]

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The demo market, raw and derived.
#[path = "../support/demo_market.rs"]
mod demo_market;

/// Rows of SELECTs, for comparison.
#[path = "../support/selected.rs"]
mod selected;

/// A real server and a client for it.
#[path = "../support/server.rs"]
mod server;

/// The server as a child process.
#[expect(dead_code, reason = "the endurance tests use the rest")]
#[path = "../support/running_server.rs"]
mod running_server;

/// Keys for servers.
mod issued_key;

/// Sets that are recognized by their answers.
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

/// The demo's raw files on such a host.
#[expect(dead_code, reason = "the endurance tests use the rest")]
#[path = "../support/fetch_setup.rs"]
mod fetch_setup;

/// The vocabulary for reading sentences.
#[path = "../support/grammar.rs"]
mod grammar;

/// The pattern language of the cases.
mod pattern;

/// SELECTs as a person reads and pastes them.
mod pasted_selects;

/// The words of comments and names.
mod plain_words;

/// JSON schema validation.
mod schema;
mod searches;

/// Empty, old and missing data are reported.
mod since_when;

/// Companies that have and lack the figures of sums and means.
mod covered;

/// Parquet files read, changed and written.
#[path = "../support/tables.rs"]
mod tables;

/// Plain folders of tables, made from markets in any layout.
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

/// Names in answers, and sources of their rows.
mod names_and_sources;

/// Plausibility of the demo market.
mod demo_story;

/// Examples have a value in every field.
mod null_fields;

/// The conditions that put a stock into a screen or scan or keep it out.
mod explained;

/// SELECTs that callers write.
mod own_select;

/// Lists of tables and columns, and what is said of tables without rows.
mod listed_tables;

/// SELECTs for which the engine silently returned wrong rows.
mod true_selects;

/// Generic plans against custom ones.
mod generic_plans;

/// Lists in pages.
mod paging;

/// Answers against their definitions, recomputed in plain SQL.
mod definitions;

/// Words of texts against the figures of statements.
mod texts;

/// Fundamental figures of a handmade market, against calculations by hand.
mod on_paper;
mod optional_tables;

/// Values taken from a later day and marked so.
mod assumed;

/// Sessions that are missing in the files.
mod missing_sessions;

/// Answers against the OpenAPI document.
mod documented;
mod openapi;

/// Entity tags, HEAD, compression.
mod http_rules;

/// The formats of an answer.
mod formats;
mod object_files;
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

/// Rules of dependencies between modules.
mod architecture;
/// No import cycles among files.
mod circles;

/// The files that a contribution touches.
mod contributing;

/// Each type name is defined once.
mod type_names;

/// Broken files.
mod broken_data;

/// The explorer's operations over handmade rows.
mod by_hand;

/// Tables against rules.
mod checks;

/// The same tables from an object store.
mod object_store;

/// Texts that spreadsheets take for formulas.
mod formulas;

/// Sets in an object store, and a store that fails.
mod stores;

/// A store that hangs, loses and alters objects.
mod lying_store;

/// Deadlines and memory limits.
mod limits;

/// The next day's files, derived onto an existing set.
#[cfg(unix)]
mod next_day;

/// Raw files in the layouts of archives and web services.
mod as_published;

/// Raw files that are damaged, truncated or missing.
#[cfg(unix)]
mod read_faults;

/// The inputs of a table's rows, changed one by one.
#[cfg(unix)]
mod fingerprints;

/// The next filing, derived onto an existing set.
#[cfg(unix)]
mod next_filing;

/// Tables that are replaced while they are served.
mod republish;

/// Data that changes or breaks while it is served.
mod refresh;

/// Facts dated after the market's date are not returned.
mod after_as_of;

/// No look-ahead in figures.
mod look_ahead;

/// Every past figure against the knowledge of its day.
mod audited;

/// Figures from published bars.
mod figures_again;

/// Tables that are retained.
mod kept_tables;

/// The command line, as a child process.
mod command_line;

/// A first start, and the examination of machines and servers.
mod doctor;

/// Keys, tiers and quotas.
mod keys;

/// Sign-in, sessions and the portal.
mod portal;

/// The tools: the MCP endpoint and standard input and output.
mod mcp;

/// Query files that break a rule.
mod query_files;

/// A folder of user-written query files.
mod query_folder;

/// Operations over user-written tables.
mod user_tables;

/// A market with filings only.
mod without_prices;

/// Derivations whose units run in separate processes.
mod units;

/// Former symbols of companies.
mod renamed;

/// The same operations over real data, if there is some.
mod real;

/// An empty folder that becomes a market.
mod from_nothing;

/// Back-tests on the command line.
mod backtest_command;

/// Sets on the command line.
mod set_commands;

/// The ledger of the scans.
mod ledger;

/// The ledgers of saved screens.
mod recorded_screens;

/// A server that speaks the protocols of language-model providers.
#[cfg_attr(not(feature = "agents"), expect(dead_code, reason = "tests that request models use the rest"))]
mod protocol_server;

/// Provider clients against this server.
#[cfg(feature = "agents")]
mod providers;

/// Rows that a model writes from documents.
#[cfg(feature = "agents")]
mod write_texts;

/// Sentences and the screens that they mean.
mod natural_language;

/// Provider keys, presets, committees: the operations that need Rust code.
mod runs;
