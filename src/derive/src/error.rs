//! What can go wrong while tables are derived.

use std::path::PathBuf;

use datafusion::error::DataFusionError;

use super::loss::{self, Loss};
use super::units::UnitError;
use parquote_catalogue::operation::Market;
use parquote_engine::EngineError;
use parquote_raw::RawError;
use parquote_set::SetError;

/// What can go wrong between raw files and a published set of tables.
#[derive(Debug, thiserror::Error)]
pub enum DeriveError {
    /// The raw files do not make a market.
    #[error("the raw files do not make a market")]
    Raw(#[from] RawError),
    /// The folder of raw files has nothing for any market.
    #[error("{} has neither a folder `india` nor a folder `us`", dir.display())]
    NoMarket {
        /// The folder that was given.
        dir: PathBuf,
    },
    /// There is no set of tables to derive figures from.
    #[error("{} has no published tables of {market}; derive them from raw files first", data.display())]
    NotPublished {
        /// The market.
        market: Market,
        /// The data folder.
        data: PathBuf,
    },
    /// The new set has fewer sessions or symbols than the one before.
    #[error(
        "the new set of {market} would have {}; nothing is published. Look for raw files that are missing; --allow-fewer \
         publishes the set as it is, --as-of with an earlier date one up to that date",
        loss::listed(losses)
    )]
    Fewer {
        /// The market.
        market: Market,
        /// What there is less of.
        losses: Vec<Loss>,
    },
    /// A folder or file of the data cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The set cannot be read or published.
    #[error(transparent)]
    Set(#[from] SetError),
    /// The report cannot be encoded.
    #[error("the report cannot be encoded")]
    Report(#[source] serde_json::Error),
    /// A table's file breaks a rule.
    #[error(transparent)]
    Table(#[from] EngineError),
    /// A table's rows cannot be made.
    #[error("the table `{table}` cannot be made")]
    Rows {
        /// Which.
        table: String,
        /// Why.
        #[source]
        source: Box<DataFusionError>,
    },
    /// Tables wait for each other.
    #[error("the tables {} wait for each other or for tables that nothing makes", tables.join(", "))]
    Order {
        /// Which.
        tables: Vec<String>,
    },
    /// A table that is wanted is not one of the derived ones.
    #[error("`{table}` is not among the derived tables {}", derived.join(", "))]
    NotDerived {
        /// The table.
        table: String,
        /// Those that are derived.
        derived: Vec<String>,
    },
    /// What reads a table that is made while raw files are read cannot be made again without them.
    #[error("the tables {} read {} and are made from raw files", named(dependants), named(tables))]
    OfRawFiles {
        /// The tables.
        tables: Vec<String>,
        /// Those that read them, themselves or through others.
        dependants: Vec<String>,
    },
    /// The set before lacks the last bar of a stock, from which its figures would go on.
    #[error("the table `{table}` of the set before lacks the last bar of {symbol}; rebuild all with --full")]
    NotCarried {
        /// The table.
        table: String,
        /// The stock.
        symbol: String,
    },
    /// Units could not be run elsewhere.
    #[error(transparent)]
    Units(#[from] UnitError),
    /// A piece of the work was lost.
    #[error("a piece of the work stopped early")]
    Task(#[from] tokio::task::JoinError),
}

impl DeriveError {
    /// An error of a table's rows.
    pub(super) fn rows(table: &str) -> impl Fn(DataFusionError) -> Self + '_ {
        move |source| Self::Rows { table: table.to_owned(), source: Box::new(source) }
    }
}

/// Some things by name, more of them by number.
pub(super) fn named(names: &[String]) -> String {
    const NAMED: usize = 4;
    let shown = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
