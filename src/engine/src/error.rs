//! Errors of the engine.

use datafusion::error::DataFusionError;

use crate::problem::Problem;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_picture::PictureError;
use parquote_picture::png::PngError;
use parquote_set::SetError;

/// Error between a folder of Parquet files and an encoded answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The sets or plain files of the root cannot be found or read.
    #[error(transparent)]
    Set(#[from] SetError),
    /// The root holds no table of any market.
    #[error(
        "`{root}` holds no tables; expected are files such as {root}/india/stocks.parquet (make them with `parquote derive` or `parquote demo`)"
    )]
    Empty {
        /// The root as given.
        root: String,
    },
    /// Files break the contract of their table.
    #[error("the data does not keep its contract:\n  {}", lines(problems))]
    Contract {
        /// Each violation.
        problems: Vec<Problem>,
    },
    /// A query file does not plan.
    #[error("{file}:{line}: the SQL does not plan")]
    Plan {
        /// The query file.
        file: String,
        /// The line on which its SQL starts.
        line: usize,
        /// The cause.
        #[source]
        source: Box<DataFusionError>,
    },
    /// A query file breaks a rule that only planning can check.
    #[error("{file}:{line}: {message}")]
    Rule {
        /// The query file.
        file: String,
        /// The line on which its SQL starts.
        line: usize,
        /// The rule.
        message: String,
    },
    /// The snapshot lacks tables that an operation needs.
    #[error("{}", lacking(tables, remedy))]
    MissingTables {
        /// The tables, as `market.table`; empty if the market has no table at all.
        tables: Vec<String>,
        /// The raw files that would provide them, in words.
        remedy: String,
    },
    /// An answer took longer than its limit, including its time in the queue.
    #[error("the answer took longer than {limit_ms} ms; ask for less or try again")]
    Deadline {
        /// The limit.
        limit_ms: u64,
    },
    /// A query needed more memory than it may use.
    #[error("the query needed more memory than it may use")]
    Memory {
        /// The cause.
        #[source]
        source: Box<DataFusionError>,
    },
    /// The rows cannot be drawn.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// A picture is requested of a SELECT that declares none; callers get an earlier error.
    #[error("{operation} declares no picture of these rows")]
    Undrawn {
        /// The operation.
        operation: String,
    },
    /// A picture cannot be converted to PNG.
    #[error("the picture does not become a PNG")]
    Png {
        /// The cause.
        #[source]
        source: PngError,
    },
    /// A query failed.
    #[error("the query failed")]
    Execution {
        /// The cause.
        #[source]
        source: Box<DataFusionError>,
    },
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n  ")
}

/// Names the missing tables and the remedy.
fn lacking(tables: &[String], remedy: &str) -> String {
    let names = tables.join(", ");
    match tables {
        [] => format!("this server {remedy}"),
        [_] => format!("this server lacks the table {names}: {remedy}"),
        _ => format!("this server lacks the tables {names}: {remedy}"),
    }
}

impl From<DataFusionError> for EngineError {
    fn from(source: DataFusionError) -> Self {
        match source.find_root() {
            DataFusionError::ResourcesExhausted(_) => Self::Memory { source: Box::new(source) },
            _ => Self::Execution { source: Box::new(source) },
        }
    }
}

impl From<EngineError> for ClientError {
    /// Converts to the error that a client gets.
    fn from(error: EngineError) -> Self {
        let (kind, message) = match &error {
            EngineError::MissingTables { .. } => (ErrorKind::NoData, error.to_string()),
            EngineError::Deadline { .. } => (ErrorKind::Overrun, error.to_string()),
            EngineError::Memory { .. } => {
                (ErrorKind::Unavailable, format!("{error}; narrow the request or try again later"))
            }
            EngineError::Picture(PictureError::TooManyRows { .. } | PictureError::TooManyLines { .. }) => (
                ErrorKind::BadRequest,
                format!("`format`: {error}; narrow the request, or ask for the rows with format=json"),
            ),
            _ => (
                ErrorKind::Internal,
                "the server failed to answer; the fault is logged under this request's id".to_owned(),
            ),
        };
        Self::caused(kind, message, error)
    }
}
