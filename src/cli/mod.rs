//! The command line: one file for each subcommand. Without one, it serves.

mod audit;
mod backtest;
mod before_data;
mod catalogue;
mod check;
#[cfg(feature = "demo")]
mod demo;
#[cfg(not(feature = "demo"))]
#[path = "no_demo.rs"]
mod demo;
mod derive;
mod destination;
mod fetch;
#[cfg(test)]
mod fetch_guide;
mod fetch_coverage;
mod fetch_listing;
mod fetch_progress;
mod fetching;
mod refresh;
mod refresh_child;
mod watching;
mod worker;
mod workers;
#[cfg(unix)]
mod descriptors;
mod coverage;
mod data_pages;
mod diff;
mod drawing;
mod docs;
mod doctor;
mod export;
mod failure;
mod keys;
#[cfg(test)]
mod limits_guide;
mod log_writer;
mod live_declarations;
mod logging;
mod market_updater;
mod named_operation;
mod mcp;
mod guests;
mod handlers;
mod output;
mod next_steps;
mod past_sets;
mod protocols;
mod progress;
mod public_terms;
mod publish;
mod query;
mod query_folder;
mod recording;
mod refreshing;
mod select;
mod serve;
mod sets;
mod sql;
mod state;
mod stopping;
mod table;
mod taken_port;
mod times;
mod progress_pipe;
mod vet;
#[cfg(feature = "agents")]
mod write;
#[cfg(not(feature = "agents"))]
#[path = "no_write.rs"]
mod write;

use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use failure::message;
pub use log_writer::{Flush, LogWriter};

use crate::config::{CommonOptions, DataRoot, Serving, StateFile, Stdio};

/// Market intelligence for Indian and US equities from a folder of Parquet files.
///
/// Without a subcommand it serves the tables under --data over HTTP.
#[derive(Debug, Parser)]
#[command(name = "parquote", version, about, long_about)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    common: CommonOptions,
    #[command(flatten)]
    data: DataRoot,
    #[command(flatten)]
    state: StateFile,
    #[command(flatten)]
    serving: Box<Serving>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the tables under --data over HTTP (the default).
    Serve {
        #[command(flatten)]
        data: DataRoot,
        #[command(flatten)]
        state: StateFile,
        #[command(flatten)]
        serving: Box<Serving>,
    },
    /// Serve the tools over standard input and output (MCP), for a program on this machine that starts this one.
    Mcp {
        #[command(flatten)]
        data: DataRoot,
        #[command(flatten)]
        state: StateFile,
        #[command(flatten)]
        stdio: Box<Stdio>,
    },
    /// Issue, list, revoke and rotate API keys, and print sign-in links.
    Keys(keys::KeysArgs),
    /// Back up keys, counters, sessions and runs, or move them between a file and PostgreSQL.
    State(state::StateArgs),
    /// Derive tables from raw exchange files and publish them as the next set.
    Derive(Box<derive::DeriveArgs>),
    /// Read raw files and compute tables for derivations on other machines; it keeps no state.
    Worker(Box<worker::WorkerArgs>),
    /// Fetch raw files from exchanges, the SEC and vendors, only after you agreed to each host's terms.
    ///
    /// Exit codes: 0 everything is there, 1 something failed, 2 something is not published yet, 3 a host refused.
    Fetch(Box<fetch::FetchArgs>),
    /// Write rows from documents with a language model; a sentence stays only if the paragraphs that it names support it.
    Write(Box<write::WriteArgs>),
    /// Fetch, derive and publish: once, or with --watch whenever the tables are due.
    ///
    /// Exit codes: 0 everything is there, 1 something failed, 2 something is not published yet, 3 a host refused.
    Refresh(Box<refresh::RefreshArgs>),
    /// Make the fictional demo market, through the same derivation as real data.
    Demo(demo::DemoArgs),
    /// Report what a server would refuse in the data of a folder or store, and which operations can answer.
    Check(check::CheckArgs),
    /// Find what prevents this machine, or the server at URL and its chat apps, from working, with the remedy of each fault.
    ///
    /// Exit codes: 0 there is no fault, 1 there is one or more.
    Doctor(Box<doctor::DoctorArgs>),
    /// Derive again as of past days, and compare every row that was known then with what the tables say.
    ///
    /// Exit codes: 0 every difference is explained, 1 some are not, or the audit failed.
    Audit(audit::AuditArgs),
    /// Publish plain files as the next set, or the newest set to an object store.
    Publish(publish::PublishArgs),
    /// List the retained sets.
    Sets(sets::SetsArgs),
    /// Publish the content of an earlier set again, under the next number.
    Rollback(sets::RollbackArgs),
    /// Show what changed between two sets, by table or in the answer of an operation.
    Diff(diff::DiffArgs),
    /// Write the manual as Markdown, or name the pages that are out of date.
    Docs(docs::DocsArgs),
    /// Read files that are named on standard input, and say what is wrong with each.
    #[command(hide = true)]
    Vet(vet::VetArgs),
    /// Run SELECTs of callers that are sent to standard input.
    #[command(hide = true)]
    Select(select::SelectArgs),
    /// Run one operation, or a SELECT, on the tables and print the answer.
    Query(query::QueryArgs),
    /// Back-test picks of past days and print the figures beside those of the benchmark.
    Backtest(backtest::BacktestArgs),
    /// Print the SELECT of an operation as it runs for some arguments.
    Sql(sql::SqlArgs),
    /// Write tables as Parquet, CSV or Arrow files.
    Export(export::ExportArgs),
}

impl Cli {
    /// Parses the command line, or ends the process with help or an error message.
    ///
    /// Server flags are allowed without a subcommand; before a subcommand, only flags that every subcommand has.
    pub fn read() -> Self {
        const SHARED_FLAGS: [&str; 4] = ["queries", "log", "log_format", "state"];
        let mut command = Self::command();
        let matches =
            command.try_get_matches_from_mut(std::env::args_os()).unwrap_or_else(|wrong| exit_with(&wrong));
        if let Some((name, _)) = matches.subcommand() {
            let misplaced = matches.ids().map(clap::Id::as_str).find(|id| {
                // Flag groups have ids as well: the names of their types.
                !SHARED_FLAGS.contains(id)
                    && id.starts_with(|first: char| first.is_ascii_lowercase())
                    && matches.try_contains_id(id).is_ok()
                    && matches.value_source(id) == Some(ValueSource::CommandLine)
            });
            if let Some(id) = misplaced {
                let flag = id.replace('_', "-");
                let message =
                    format!("--{flag} must come after the subcommand: parquote {name} --{flag} ...");
                exit_with(&command.error(ErrorKind::ArgumentConflict, message));
            }
        }
        Self::from_arg_matches(&matches).unwrap_or_else(|wrong| exit_with(&wrong))
    }
}

/// Prints help or a command-line error, and ends the process.
fn exit_with(error: &clap::Error) -> ! {
    /// The usual exit code (`sysexits.h`) instead of 2, by which `fetch` and `refresh` report files that are not published yet: a
    /// service manager that accepts 2 must not accept a wrong flag.
    const USAGE: i32 = 64;
    // An error of a closed output is ignored.
    drop(error.print());
    std::process::exit(if error.use_stderr() { USAGE } else { 0 })
}

/// Runs the command; returns the exit code of the process.
///
/// # Errors
/// The error that stopped it, as a chain that `main` prints.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    /// Earlier sets are planned on threads of the runtime, and planning recurses as deep as a query is nested.
    const STACK_BYTES: usize = 16 << 20;
    /// Time limit for file operations that are still running at the end.
    const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);
    let _last_lines = logging::start(&cli.common)?;
    if matches!(&cli.command, Some(Command::Refresh(args)) if args.child) {
        // The runtime's threads inherit the priority of the thread that starts them.
        refresh_child::step_back();
    }
    let queries = cli.common.queries.as_deref();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().thread_stack_size(STACK_BYTES).enable_all().build()?;
    let ended = runtime.block_on(async {
        let ended: anyhow::Result<()> = match cli.command.unwrap_or(Command::Serve {
            data: cli.data,
            state: cli.state,
            serving: cli.serving,
        }) {
            Command::Fetch(args) => return fetch::run(queries, &args).await,
            Command::Audit(args) => return Box::pin(audit::run(queries, &args)).await,
            Command::Refresh(args) => return refresh::run(queries, &args).await,
            Command::Doctor(args) => return Box::pin(doctor::run(queries, &args)).await,
            Command::Serve { data, state, serving } => serve::run(&cli.common, &data, &state, &serving).await,
            Command::Mcp { data, state, stdio } => mcp::run(queries, &data, &state, *stdio).await,
            Command::Keys(args) => keys::run(&args),
            Command::State(args) => state::run(&args),
            Command::Write(args) => Box::pin(write::run(queries, &args)).await,
            Command::Derive(args) => derive::run(queries, &args).await,
            Command::Demo(args) => demo::run(queries, &args).await,
            Command::Worker(args) => worker::run(queries, *args).await,
            Command::Check(args) => Box::pin(check::run(queries, &args)).await,
            Command::Publish(args) => Box::pin(publish::run(queries, &args)).await,
            Command::Sets(args) => sets::list(&args).await,
            Command::Rollback(args) => sets::roll_back(&args).await,
            Command::Diff(args) => diff::run(queries, &args).await,
            Command::Docs(args) => docs::run(queries, &args).await,
            Command::Vet(args) => vet::run(queries, &args),
            Command::Select(args) => select::run(queries, &args),
            Command::Query(args) => query::run(queries, &args).await,
            Command::Backtest(args) => Box::pin(backtest::run(queries, &args)).await,
            Command::Sql(args) => sql::run(queries, &args),
            Command::Export(args) => Box::pin(export::run(queries, &args)).await,
        };
        ended.map(|()| ExitCode::SUCCESS)
    });
    // A hanging file system must not prevent the exit.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    ended
}
