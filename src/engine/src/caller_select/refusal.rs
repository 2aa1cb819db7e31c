//! Refusals of SELECTs, with messages for their authors. A message of the engine is passed on only if it is about the SELECT.

use datafusion::arrow::error::ArrowError;
use datafusion::common::{Column, SchemaError};
use datafusion::error::DataFusionError;

use super::names::NAMES;
use crate::error::EngineError;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{hint, truncate_for_message};

/// Maximum number of columns that a message names.
const MOST_NAMED_COLUMNS: usize = 40;

/// Reason for refusing a SELECT.
#[derive(Debug, thiserror::Error)]
pub enum SelectRefusal {
    /// A limit on a count is exceeded.
    #[error("`sql`: {count} {what}; at most {most} are allowed")]
    TooMuch {
        /// The name of what is counted, in the plural.
        what: &'static str,
        /// The greatest count that is allowed.
        most: usize,
        /// The count in this SELECT.
        count: usize,
    },
    /// A syntax error, in the words of the parser.
    #[error("`sql`: {}", shorten_message(.0))]
    Syntax(String),
    /// There is no statement, or there are several.
    #[error("`sql` is one SELECT, without a semicolon before another")]
    NotOneStatement,
    /// The statement is not a SELECT.
    #[error("`sql` is a SELECT, or begins with WITH; nothing else is run: tables are read and never changed")]
    NotSelect,
    /// A form of SQL that is not allowed, as text or by its name.
    #[error("`sql`: {} is not allowed here; the guide `sql` says what is", truncate_for_message(.0))]
    Form(String),
    /// A function that is not allowed.
    #[error("`sql`: there is no function `{}` here{}", truncate_for_message(.0), other_functions(.0))]
    Function(String),
    /// A table function in place of a table.
    #[error(
        "`sql`: `{}` is no table; a SELECT reads the declared tables, and no functions that return tables",
        truncate_for_message(.0)
    )]
    TableFunction(String),
    /// A table that is not declared.
    #[error("`sql`: there is no table `{name}`{hint}")]
    Table {
        /// The name of the table, with its schema.
        name: String,
        /// The end of the message: tables that may have been meant.
        hint: String,
    },
    /// A table that this caller may not read: the reason, in words.
    #[error("{0}")]
    TableForbidden(String),
    /// A column that no table of the SELECT has.
    #[error("`sql`: there is no column `{name}`{}", other_columns(name, columns))]
    Column {
        /// The name of the column, with its table if the SELECT names that.
        name: String,
        /// The names of the columns that the SELECT could use there, sorted.
        columns: Vec<String>,
    },
    /// A column that several tables have.
    #[error("`sql`: several tables have a column `{0}`; write the table before it, such as `s.{0}`")]
    Ambiguous(String),
    /// Two columns of the answer have one name.
    #[error("`sql`: two columns of the answer are called `{0}`; give one another name with AS")]
    DuplicateName(String),
    /// The name of a column is too long.
    #[error(
        "`sql`: the name of a column has {bytes} bytes; at most {most} are allowed; give it another with AS"
    )]
    Name {
        /// The length of the name in bytes.
        bytes: usize,
        /// The greatest length that is allowed, in bytes.
        most: usize,
    },
    /// The planner refuses the SELECT, in its words.
    #[error("`sql`: {}", shorten_message(.0))]
    Unplanned(String),
    /// A value cannot be computed, in the words of the engine.
    #[error("`sql`: {}{}", shorten_message(.0), uncomputable_hint(.0))]
    Computed(String),
    /// A number out of the range of its type, in the words of the engine.
    #[error(
        "`sql`: {}; whole numbers go from -2^63 to 2^63 - 1, decimals have 38 digits: CAST(x AS DOUBLE) computes beyond",
        shorten_message(.0)
    )]
    Range(String),
    /// The engine cannot run the SELECT: the problem, and how to write it instead.
    #[error("`sql`: {0}")]
    Unsupported(String),
    /// A placeholder that is not a number.
    #[error("`sql`: `{0}` is not a placeholder of a value; placeholders are $1, $2 and so on")]
    Placeholder(String),
    /// A placeholder without a value.
    #[error("`params`: there is no value for `{name}`; {values} are given")]
    Unbound {
        /// The placeholder, such as `$1`.
        name: String,
        /// The number of values.
        values: usize,
    },
    /// A value without a placeholder, by its number from 1.
    #[error("`params`: nothing in the SELECT takes value {0}; write `${0}` there or leave it out")]
    Unused(usize),
    /// A value of the wrong type.
    #[error("`params`: `{value}` for `{name}` is not {ty}")]
    Value {
        /// The placeholder, such as `$1`.
        name: String,
        /// The value, as text.
        value: String,
        /// The name of the type that its position requires.
        ty: String,
    },
    /// The answer exceeds its limit, in bytes.
    #[error("the answer is longer than {0} bytes; select fewer columns, or fewer rows with `limit`")]
    Answer(usize),
    /// The run exceeds its memory, in bytes.
    #[error(
        "the SELECT needs more than {} MiB of memory; filter before it sorts, groups, joins or uses window functions",
        .0 >> 20
    )]
    Memory(usize),
    /// The SELECT ended its child process, whose memory is limited to these bytes.
    #[error(
        "the SELECT needs more than {} MiB of memory, or is nested deeper than can be planned; filter before it sorts, groups, joins or \
         uses window functions, and write it in smaller steps",
        .0 >> 20
    )]
    ProcessEnded(usize),
    /// Another error of the engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl SelectRefusal {
    /// Converts an error that occurs while a plan runs.
    pub(super) fn from_run_error(error: DataFusionError, memory: usize) -> Self {
        match error.find_root() {
            DataFusionError::ResourcesExhausted(_) => Self::Memory(memory),
            DataFusionError::Execution(message) if message.contains("failed to reserve") => {
                Self::Memory(memory)
            }
            _ => error.into(),
        }
    }

    /// Returns the refusal of a SELECT on which the engine itself failed.
    pub fn engine_failed() -> Self {
        Self::Unsupported(UNSUPPORTED.to_owned())
    }
}

impl From<DataFusionError> for SelectRefusal {
    /// Converts an error of planning.
    fn from(error: DataFusionError) -> Self {
        match error.find_root() {
            DataFusionError::SchemaError(inner, _) => match inner.as_ref() {
                SchemaError::FieldNotFound { field, valid_fields } => {
                    let mut columns: Vec<String> =
                        valid_fields.iter().map(|field| field.name.clone()).collect();
                    columns.sort();
                    columns.dedup();
                    Self::Column { name: truncate_for_message(&column_name(field)), columns }
                }
                SchemaError::AmbiguousReference { field } => {
                    Self::Ambiguous(truncate_for_message(&field.name))
                }
                other => Self::Unplanned(other.to_string()),
            },
            DataFusionError::SQL(inner, _) => Self::Syntax(inner.to_string()),
            DataFusionError::ArrowError(inner, _) => match inner.as_ref() {
                ArrowError::ArithmeticOverflow(message) => Self::Range(message.clone()),
                ArrowError::ComputeError(message) if message.contains("overflow") => {
                    Self::Range(message.clone())
                }
                ArrowError::CastError(message) if message.contains(" to type Int") => {
                    Self::Range(message.clone())
                }
                other => Self::Computed(other.to_string()),
            },
            DataFusionError::Plan(message)
            | DataFusionError::Configuration(message)
            | DataFusionError::NotImplemented(message)
            | DataFusionError::Internal(message)
            | DataFusionError::Execution(message)
                if let Some(message) = unsupported_message(message) =>
            {
                Self::Unsupported(message)
            }
            DataFusionError::Plan(message) | DataFusionError::Configuration(message) => {
                Self::Unplanned(message.clone())
            }
            DataFusionError::NotImplemented(message) | DataFusionError::Internal(message) => {
                Self::Unsupported(format!("{}: {UNSUPPORTED}", shorten_message(message)))
            }
            DataFusionError::Execution(message) => Self::Computed(message.clone()),
            _ => Self::Engine(error.into()),
        }
    }
}

impl From<SelectRefusal> for ClientError {
    fn from(refusal: SelectRefusal) -> Self {
        match refusal {
            SelectRefusal::Engine(error) => error.into(),
            SelectRefusal::TableForbidden(_) => Self::new(ErrorKind::Forbidden, refusal.to_string()),
            refusal => Self::new(ErrorKind::BadRequest, refusal.to_string()),
        }
    }
}

/// Returns the name of a column, with its table if it has one.
fn column_name(column: &Column) -> String {
    match &column.relation {
        Some(table) => format!("{}.{}", table.table(), column.name),
        None => column.name.clone(),
    }
}

fn other_columns(name: &str, known: &[String]) -> String {
    let bare = name.rsplit('.').next().unwrap_or(name);
    let near = hint(bare, known.iter().map(String::as_str));
    let more = if known.len() > MOST_NAMED_COLUMNS { " and others" } else { "" };
    let names: Vec<&str> = known.iter().take(MOST_NAMED_COLUMNS).map(String::as_str).collect();
    if names.is_empty() { near } else { format!("{near}; there are {}{more}", names.join(", ")) }
}

fn other_functions(name: &str) -> String {
    if let Some(instead) = NAMES.instead.get(name) {
        return format!("; {instead}");
    }
    let all = NAMES.functions().into_iter().flat_map(|(_, names)| names).map(String::as_str);
    let near = hint(name, all);
    format!("{near}; the guide `sql` lists those that there are")
}

/// Returns a hint for values that cannot be computed.
fn uncomputable_hint(message: &str) -> &'static str {
    if message.contains("more than one row") {
        return "; add LIMIT 1 to the subquery, or make one row of it with an aggregate such as MAX";
    }
    let is_value = ["cast", "Cast", "parse", "Parse", "zero", "outside", "range"]
        .iter()
        .any(|word| message.contains(word));
    if is_value { "; TRY_CAST and NULLIF give null instead" } else { "" }
}

/// The message in place of an engine message that is not about the SELECT.
const UNSUPPORTED: &str =
    "this cannot be run in this form; write it in another way, such as with a join or a CTE";

/// Returns a message that replaces one with the engine's internal structures; `None` if the engine's message is clear.
fn unsupported_message(message: &str) -> Option<String> {
    const SUBQUERIES: &str = "a subquery that names a table around it can be run in WHERE and HAVING, and where it compares with `=`; \
                              join the tables instead";
    let between = |start: &str| {
        message.split_once(start)?.1.split_once('\'').map(|(word, _)| truncate_for_message(word))
    };
    if let Some(call) = between("argument types '") {
        return Some(format!(
            "`{call}` is not there; CAST makes an argument the type that the function takes"
        ));
    }
    if let Some(name) = between("Function '").filter(|_| message.contains("fail")) {
        return Some(format!("`{name}` does not take arguments of these types; CAST makes others of them"));
    }
    if ["OuterReferenceColumn", "Subquery(", "<subquery>"].iter().any(|word| message.contains(word)) {
        return Some(SUBQUERIES.to_owned());
    }
    let is_structure = ["Exec:", "Expr", "{ ", "[\"", "DataFusion"].iter().any(|word| message.contains(word));
    is_structure.then(|| UNSUPPORTED.to_owned())
}

/// Returns the first line of the engine's message, without prefixes and cut to a limit.
fn shorten_message(message: &str) -> String {
    const LONGEST_MESSAGE: usize = 300;
    let line = message.lines().next().unwrap_or_default();
    let starts = ["sql parser error: ", "Error during planning: ", "Execution error: ", "Internal error: "];
    let line = starts.iter().fold(line, |line, start| line.trim_start_matches(start));
    match line.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
