//! The settings: their flags, environment variables, defaults and help texts. Nothing else reads the environment.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::access::Secret;
use crate::fetch::{VendorKey, VendorKeys};
use crate::operation::Tier;
use crate::set::{MarketLag, PublicLag, Retention, Root, SetError};
use crate::state::StateLocation;

mod serving;

pub use serving::Serving;

const MIB: usize = 1 << 20;

/// The default data folder, which contains the built-in demo market.
pub const DEFAULT_DATA: &str = "data/demo";

/// Settings of every subcommand.
#[derive(Debug, Clone, Args)]
pub struct CommonOptions {
    /// A folder of query files that add to the built-in ones, or replace those with the same path.
    #[arg(long, global = true, value_name = "DIR", env = "PARQUOTE_QUERIES")]
    pub queries: Option<PathBuf>,
    /// The log filter, such as info, debug or parquote=debug,warn.
    #[arg(long, global = true, value_name = "FILTER", env = "PARQUOTE_LOG", default_value = "info")]
    pub log: String,
    /// The format of log lines.
    #[arg(long, global = true, value_name = "FORM", env = "PARQUOTE_LOG_FORMAT", default_value = "text")]
    pub log_format: LogFormat,
}

/// Format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For a person.
    Text,
    /// One JSON object a line.
    Json,
}

/// Reads the location of the tables. Packages have the demo market next to the program, so that the default works in any current folder.
/// Clients that start the program pass an empty value for a setting that is left open.
#[expect(clippy::unnecessary_wraps, reason = "a parser of clap returns a result")]
fn data_root(text: &str) -> Result<String, Infallible> {
    let location = if text.trim().is_empty() { DEFAULT_DATA } else { text };
    if location != DEFAULT_DATA || Path::new(location).is_dir() {
        return Ok(location.to_owned());
    }
    let program = std::env::current_exe().unwrap_or_default();
    let folder = program.parent().unwrap_or(Path::new("."));
    let mut packaged = [folder.join(DEFAULT_DATA), folder.join("../share/parquote/demo")].into_iter();
    let found = packaged.find(|path| path.is_dir());
    Ok(found.map_or_else(|| location.to_owned(), |path| path.to_string_lossy().into_owned()))
}

/// Location of the tables.
#[derive(Debug, Clone, Args)]
pub struct DataRoot {
    /// The folder or object-store URL that holds india/ and us/; the built-in demo market is in data/demo.
    #[arg(long, value_name = "DIR|URL", env = "PARQUOTE_DATA", default_value = DEFAULT_DATA, value_parser = data_root)]
    pub data: String,
    /// The folder of cached data: blocks of an object store, and the sets of plain files in a data folder that is read-only.
    #[arg(long, value_name = "DIR", env = "PARQUOTE_CACHE", default_value = "state/cache")]
    pub cache: PathBuf,
    /// Disk space for cached blocks of an object store, in MiB; the least used blocks are deleted first.
    #[arg(long, value_name = "MIB", env = "PARQUOTE_CACHE_DISK_MIB", default_value_t = 4_096)]
    pub cache_disk_mib: u64,
}

impl DataRoot {
    /// Returns true for the built-in demo market, in the current folder or next to the program.
    pub fn is_demo(&self) -> bool {
        let path = Path::new(&self.data);
        path.ends_with(DEFAULT_DATA) || path.ends_with("share/parquote/demo")
    }

    /// Opens the root.
    ///
    /// # Errors
    /// An unsupported URL, or a cache folder that cannot be created.
    pub fn open(&self) -> Result<Root, SetError> {
        Root::open(&self.data, &self.cache, self.cache_disk_mib * MIB as u64)
    }
}

/// Retention of sets.
#[derive(Debug, Clone, Args)]
pub struct RetentionArgs {
    /// The most sets of a market to retain; the two newest are always retained.
    #[arg(long, value_name = "N", env = "PARQUOTE_KEEP_SETS", default_value_t = 20)]
    pub keep_sets: usize,
    /// Days after which a set is deleted.
    #[arg(long, value_name = "N", env = "PARQUOTE_KEEP_DAYS", default_value_t = 60)]
    pub keep_days: u64,
    /// Lag of the public in calendar days, by market, such as india=30d: the public sees the newest session that is at least this old. The
    /// sets needed for that are retained in addition to the others; --public-tiers of a server says who the public is.
    #[arg(long, value_name = "MARKET=DAYS,...", env = "PARQUOTE_PUBLIC_LAG", value_delimiter = ',')]
    pub public_lag: Vec<MarketLag>,
}

impl RetentionArgs {
    /// Returns the arguments that retain every set.
    #[must_use]
    pub fn everything() -> Self {
        Self { keep_sets: usize::MAX, keep_days: u64::MAX, public_lag: Vec::new() }
    }

    /// Returns the retention rule for publications.
    pub fn keep(&self) -> Retention {
        /// A thousand years; a duration of more days could overflow.
        const MOST_DAYS: u64 = 365_000;
        let lag = PublicLag::from_markets(self.public_lag.iter().copied());
        Retention { sets: self.keep_sets, age: Duration::from_hours(self.keep_days.min(MOST_DAYS) * 24), lag }
    }
}

/// Location of keys and counters.
#[derive(Debug, Clone, Args)]
pub struct StateFile {
    /// The file of keys and counters, which is created if it does not exist; or postgres://USER:PASSWORD@HOST:PORT/DATABASE, for servers
    /// on several machines.
    #[arg(long, global = true, value_name = "FILE|URL", env = "PARQUOTE_STATE", hide_env_values = true, default_value = StateFile::DEFAULT)]
    pub state: StateLocation,
}

/// Treatment of calls while the state is unreachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WithoutState {
    /// Those that are leased are answered, the others are refused.
    Refuse,
    /// All are answered.
    Serve,
}

impl StateFile {
    const DEFAULT: &str = "state/parquote.db";

    /// Returns the flag that selects this state, with a leading space; empty for the default file.
    pub fn flag(&self) -> String {
        if self.state.file() == Some(Path::new(Self::DEFAULT)) {
            return String::new();
        }
        format!(" --state '{}'", self.state)
    }
}

/// Settings of fetching: the raw folder, consents, contact, and mirrors.
#[derive(Debug, Clone, Args)]
pub struct FetchOptions {
    /// The folder of raw files: fetched files go to DIR/india and DIR/us, the fetcher's own records to DIR/.fetch.
    #[arg(long, value_name = "DIR", env = "PARQUOTE_RAW", default_value = "raw")]
    pub raw: PathBuf,
    /// The folder of your consents and of each host's pace. Processes that share the folder share the pace.
    #[arg(long, value_name = "DIR", env = "PARQUOTE_FETCH_STATE", default_value = "state/fetch")]
    pub fetch_state: PathBuf,
    /// A folder of source files that add to the built-in ones, or replace those with the same path.
    #[arg(long, value_name = "DIR", env = "PARQUOTE_SOURCES")]
    pub sources: Option<PathBuf>,
    /// Your contact for the SEC: a name and an email address, such as "Asha Rao asha@firm.in".
    #[arg(long, value_name = "NAME MAIL", env = "PARQUOTE_SEC_CONTACT")]
    pub contact: Option<String>,
    /// Your own mirror, which gets the requests for a host.
    #[arg(long, value_name = "HOST=URL,...", env = "PARQUOTE_MIRRORS", value_delimiter = ',', value_parser = pair)]
    pub mirror: Vec<(String, String)>,
}

/// Vendor keys from the environment, by the variable names that sources declare.
#[derive(Debug, Clone, Copy)]
pub struct EnvironmentKeys;

impl VendorKeys for EnvironmentKeys {
    fn key(&self, name: &str) -> Option<VendorKey> {
        VendorKey::new(&std::env::var(name).ok()?)
    }
}

/// Detection of new data by a running server.
#[derive(Debug, Clone, Args)]
pub struct Refresh {
    /// Quiet time: how long plain files must be unchanged before they are published as a set, in milliseconds.
    #[arg(long, value_name = "MS", env = "PARQUOTE_QUIET_MS", default_value_t = 2_000)]
    pub quiet_ms: u64,
    /// Poll interval: how often the data is checked where the system reports no changes, in milliseconds.
    #[arg(long, value_name = "MS", env = "PARQUOTE_POLL_MS", default_value_t = 1_000)]
    pub poll_ms: u64,
    /// The number of earlier sets that stay open for calls with `snapshot`.
    #[arg(long, value_name = "N", env = "PARQUOTE_EARLIER_SETS", default_value_t = 4)]
    pub earlier_sets: usize,
    /// Plan all operations in the background after a start, so that the first call of each need not wait for its plan.
    #[arg(long, value_name = "BOOL", env = "PARQUOTE_PLAN_AHEAD", default_value_t = true, action = clap::ArgAction::Set)]
    pub plan_ahead: bool,
    /// Retention of sets.
    #[command(flatten)]
    pub keeping: RetentionArgs,
    /// The tiers that are public, such as free: their callers, and callers without a key, see a market with a --public-lag only up to a
    /// session that is old enough.
    #[arg(long, value_name = "TIER,...", env = "PARQUOTE_PUBLIC_TIERS", value_delimiter = ',')]
    pub public_tiers: Vec<Tier>,
}

/// Settings of language models: provider URLs, the encryption of callers' keys, and the number of concurrent runs. Only the
/// operator sets them; callers cannot choose a URL.
#[derive(Debug, Clone, Args)]
pub struct Models {
    /// The file of the master key, which encrypts callers' keys of model providers; it is created on first use. The default is a file
    /// next to the state file.
    #[arg(long, value_name = "FILE", env = "PARQUOTE_MASTER_KEY_FILE")]
    pub master_key_file: Option<PathBuf>,
    /// The master key itself, 64 hexadecimal digits, instead of a file; best set in the environment.
    #[arg(long, value_name = "HEX", env = "PARQUOTE_MASTER_KEY", hide_env_values = true)]
    pub master_key: Option<Secret>,
    /// The URL of a provider, such as openai=http://127.0.0.1:11434/v1 for your own model server.
    #[arg(long, value_name = "NAME=URL,...", env = "PARQUOTE_PROVIDER_URLS", value_delimiter = ',', value_parser = pair)]
    pub provider_url: Vec<(String, String)>,
    /// The model of a provider, such as openai=qwen3:32b.
    #[arg(long, value_name = "NAME=MODEL,...", env = "PARQUOTE_PROVIDER_MODELS", value_delimiter = ',', value_parser = pair)]
    pub provider_model: Vec<(String, String)>,
    /// The most concurrent runs of presets and committees, at most 2 of one owner. They wait for providers, which takes no thread.
    #[arg(long, value_name = "N", env = "PARQUOTE_RUN_WORKERS", default_value_t = crate::agents::job::WORKERS)]
    pub run_workers: usize,
    /// A run is ended after this multiple of the longest runtime of its preset or of a committee.
    #[arg(long, value_name = "N", env = "PARQUOTE_RUN_TIME_FACTOR", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub run_time_factor: u32,
    /// The requests to a provider, or with one key, that fail in a row over half a minute or more before new ones fail at once; with 0
    /// all are sent.
    #[arg(long, value_name = "N", env = "PARQUOTE_PROVIDER_FAILURES", default_value_t = 5)]
    pub provider_failures: u32,
    /// The seconds after which a provider that failed is tried again; each failure more doubles them, up to twenty times as many.
    #[arg(long, value_name = "SECONDS", env = "PARQUOTE_PROVIDER_PAUSE_S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub provider_pause_s: u64,
    /// The provider whose model reads the sentences of natural-language screens; without one, a grammar reads them.
    #[arg(long, value_name = "NAME", env = "PARQUOTE_SERVICE_PROVIDER", requires = "service_key")]
    pub service_provider: Option<String>,
    /// The key of that provider; best set in the environment.
    #[arg(long, value_name = "KEY", env = "PARQUOTE_SERVICE_KEY")]
    #[arg(hide_env_values = true, requires = "service_provider")]
    pub service_key: Option<Secret>,
}

/// Parses `name=value`.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(format!("`{text}` is written NAME=VALUE")),
    }
}

/// Settings of the tools over standard input and output.
#[derive(Debug, Clone, Args)]
pub struct Stdio {
    /// The key that admits and counts the calls; without one, every operation is open and nothing is counted.
    #[arg(long, value_name = "KEY", env = "PARQUOTE_KEY", hide_env_values = true)]
    pub key: Option<Secret>,
    /// Toolsets to list, such as core,market,us; all lists a tool for each operation. The default is chat.
    #[arg(long, value_name = "NAME,...", env = "PARQUOTE_TOOLSETS")]
    #[arg(default_value = "", hide_default_value = true)]
    pub toolsets: String,
    /// Tools to list in addition to those of the toolsets; tools of chat by themselves.
    #[arg(long, value_name = "NAME,...", env = "PARQUOTE_TOOLS")]
    #[arg(default_value = "", hide_default_value = true)]
    pub tools: String,
    /// Tools to leave out of the list.
    #[arg(long, value_name = "NAME,...", env = "PARQUOTE_EXCLUDE_TOOLS")]
    #[arg(default_value = "", hide_default_value = true)]
    pub exclude_tools: String,
    /// List three tools that find, describe and call all others.
    #[arg(long)]
    pub discover: bool,
    /// Language models and the runs that use them.
    #[command(flatten)]
    pub models: Models,
    /// Detection of new data.
    #[command(flatten)]
    pub refresh: Refresh,
}
