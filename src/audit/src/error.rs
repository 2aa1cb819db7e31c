//! Errors of an audit.

use std::path::PathBuf;

use chrono::NaiveDate;
use datafusion::error::DataFusionError;

use parquote_catalogue::operation::Market;
use parquote_derive::DeriveError;
use parquote_engine::EngineError;
use parquote_set::SetError;

/// Error of an audit.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// There is no set to audit.
    #[error("{} has no published tables of {market}; derive them from raw files first", data.display())]
    NotPublished {
        /// The market without a set.
        market: Market,
        /// The data folder that was searched.
        data: PathBuf,
    },
    /// Some tables were made by other formulas than those of this program, which derives the past tables.
    #[error(
        "the tables of {market} were derived by other formulas than those of this program ({}); derive them again first",
        tables.join(", ")
    )]
    OtherFormulas {
        /// The market of the tables.
        market: Market,
        /// The tables, each with the formula that made it.
        tables: Vec<String>,
    },
    /// The folder for the past tables cannot be created.
    #[error("no folder can be created in {} for the tables that are derived again; choose another place with --temp", folder.display())]
    Temp {
        /// The folder in which no temporary folder can be created.
        folder: PathBuf,
        /// The error of the file system.
        #[source]
        source: std::io::Error,
    },
    /// A past day cannot be derived.
    #[error("the tables as of {day} cannot be derived")]
    Past {
        /// The past day as of which the tables were derived.
        day: NaiveDate,
        /// The error of the derivation.
        #[source]
        source: Box<DeriveError>,
    },
    /// A published set, or one derived as of a past day, cannot be read.
    #[error(transparent)]
    Set(#[from] SetError),
    /// The identities cannot be checked.
    #[error(transparent)]
    Identities(#[from] EngineError),
    /// The rows of two derivations cannot be compared.
    #[error("the rows of `{table}` cannot be compared")]
    Rows {
        /// The table, or the file and line of a declared reason.
        table: String,
        /// The error of the query engine.
        #[source]
        source: Box<DataFusionError>,
    },
}

impl AuditError {
    /// Returns a function that wraps an error of a table's rows.
    pub(super) fn row_error(table: &str) -> impl Fn(DataFusionError) -> Self + '_ {
        move |source| Self::Rows { table: table.to_owned(), source: Box::new(source) }
    }
}
