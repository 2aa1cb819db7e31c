//! Errors of a derivation.

use std::path::PathBuf;

use datafusion::error::DataFusionError;

use super::loss::{self, Loss};
use super::units::UnitError;
use parquote_catalogue::operation::Market;
use parquote_engine::EngineError;
use parquote_raw::RawError;
use parquote_set::SetError;

/// Error of a derivation, from raw files to the published set.
#[derive(Debug, thiserror::Error)]
pub enum DeriveError {
    /// No market can be derived from the raw files.
    #[error("no market can be derived from the raw files")]
    Raw(#[from] RawError),
    /// The folder of raw files at this path has no folder of a market.
    #[error("{} has neither a folder `india` nor a folder `us`", .0.display())]
    NoMarket(PathBuf),
    /// There is no published set from which to derive figures.
    #[error("{} has no published tables of {market}; derive them from raw files first", data.display())]
    NotPublished {
        /// The market.
        market: Market,
        /// Path of the data folder.
        data: PathBuf,
    },
    /// The new set has fewer sessions or symbols than the previous one.
    #[error(
        "the new set of {market} would have {}; nothing is published. Look for raw files that are missing; --allow-fewer \
         publishes this set, and --as-of with an earlier date publishes a set up to that date",
        loss::losses_message(losses)
    )]
    Fewer {
        /// The market.
        market: Market,
        /// The counts that are lower than in the previous set.
        losses: Vec<Loss>,
    },
    /// A folder or file of the data cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// Path of the folder or file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The set cannot be read or published.
    #[error(transparent)]
    Set(#[from] SetError),
    /// The report cannot be encoded.
    #[error("the report cannot be encoded")]
    Report(#[source] serde_json::Error),
    /// A table's file is invalid.
    #[error(transparent)]
    Table(#[from] EngineError),
    /// A table's rows cannot be made.
    #[error("the table `{table}` cannot be made")]
    Rows {
        /// Name of the table.
        table: String,
        /// The cause.
        #[source]
        source: Box<DataFusionError>,
    },
    /// The tables of these names depend on each other, or on a table that is neither derived nor filled.
    #[error("the tables {} depend on each other, or on tables that no file makes", .0.join(", "))]
    Order(Vec<String>),
    /// A requested table is not a derived one.
    #[error("`{table}` is not among the derived tables {}", derived.join(", "))]
    NotDerived {
        /// Name of the table.
        table: String,
        /// Names of all derived tables.
        derived: Vec<String>,
    },
    /// Tables that read a replaced table can be made only from raw files.
    #[error("the tables {} read {} and are made from raw files", list_names(dependants), list_names(tables))]
    OfRawFiles {
        /// Names of the replaced tables.
        tables: Vec<String>,
        /// Names of the tables that read them, directly or through other tables.
        dependants: Vec<String>,
    },
    /// The previous set lacks the last bar before the new rows of a warm-started stock.
    #[error(
        "the table `{table}` of the previous set lacks the last bar of {symbol}; rebuild all with --full"
    )]
    NotCarried {
        /// Name of the table.
        table: String,
        /// Symbol of the stock.
        symbol: String,
    },
    /// Work units could not be run.
    #[error(transparent)]
    Units(#[from] UnitError),
    /// A task of the runtime panicked or was cancelled.
    #[error("a piece of the work stopped early")]
    Task(#[from] tokio::task::JoinError),
}

impl DeriveError {
    /// Returns a function that converts an error in making the rows of a table.
    pub(super) fn row_error(table: &str) -> impl Fn(DataFusionError) -> Self + '_ {
        move |source| Self::Rows { table: table.to_owned(), source: Box::new(source) }
    }
}

/// Lists the first few names and the number of the others.
pub(super) fn list_names(names: &[String]) -> String {
    const MOST_NAMED: usize = 4;
    let listed = names.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}
