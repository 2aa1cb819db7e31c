//! Errors of the engine.

use datafusion::error::DataFusionError;

use crate::problem::Problem;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_picture::PictureError;
use parquote_picture::png::PngError;
use parquote_set::SetError;

/// An error of loading tables, planning operations, running queries or encoding answers.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The sets or plain files of the root cannot be found or read.
    #[error(transparent)]
    Set(#[from] SetError),
    /// The root of this location holds no table of any market.
    #[error(
        "`{0}` holds no tables; expected are files such as {0}/india/stocks.parquet (make them with `parquote derive` or `parquote demo`)"
    )]
    Empty(String),
    /// Files break the contract of their table; one problem for each violation.
    #[error("the data does not match the declarations of its tables:\n  {}", problem_lines(.0))]
    Contract(Vec<Problem>),
    /// The SQL of a query file does not plan.
    #[error("{file}:{line}: the SQL does not plan")]
    Plan {
        /// The query file.
        file: String,
        /// The line on which the SQL of the file starts.
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
        /// The line that breaks the rule, or on which the SQL starts.
        line: usize,
        /// The rule, in words.
        message: String,
    },
    /// The snapshot lacks tables that an operation needs.
    #[error("{}", missing_tables_message(tables, remedy))]
    MissingTables {
        /// The tables, as `market.table`; empty if the market has no table at all.
        tables: Vec<String>,
        /// How to get these tables, such as the raw files that provide them, in words.
        remedy: String,
    },
    /// An answer took longer than its limit in milliseconds, including its time in the queue.
    #[error("the answer took longer than {0} ms; ask for less or try again")]
    Deadline(u64),
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
    /// A picture is requested of a SELECT of this operation that declares none; callers get an earlier error.
    #[error("{0} declares no picture of these rows")]
    Undrawn(String),
    /// A picture cannot be converted to PNG.
    #[error("the picture cannot be converted to a PNG")]
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

fn problem_lines(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n  ")
}

/// Names the missing tables and the remedy.
fn missing_tables_message(tables: &[String], remedy: &str) -> String {
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
            EngineError::Deadline(_) => (ErrorKind::Overrun, error.to_string()),
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
        Self::from_cause(kind, message, error)
    }
}
