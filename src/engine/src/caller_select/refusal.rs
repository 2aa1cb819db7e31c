//! Refusals of SELECTs, in words for their authors. Messages of the engine are shown only if they are about the SELECT.

use datafusion::arrow::error::ArrowError;
use datafusion::common::{Column, SchemaError};
use datafusion::error::DataFusionError;

use super::names::{FUNCTIONS, INSTEAD};
use crate::error::EngineError;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{nearest, shown};

/// Maximum number of columns that a message names.
const NAMED: usize = 40;

/// Reason for refusing a SELECT.
#[derive(Debug, thiserror::Error)]
pub enum SelectRefusal {
    /// A limit on a count is exceeded.
    #[error("`sql`: {found} {what}; at most {most} are allowed")]
    TooMuch {
        /// The things counted.
        what: &'static str,
        /// The limit.
        most: usize,
        /// The count.
        found: usize,
    },
    /// A syntax error.
    #[error("`sql`: {}", shortened(message))]
    Syntax {
        /// The parser's message.
        message: String,
    },
    /// There is no statement, or there are several.
    #[error("`sql` is one SELECT, without a semicolon before another")]
    NotOne,
    /// It is not a SELECT.
    #[error("`sql` is a SELECT, or begins with WITH; nothing else is run: tables are read and never changed")]
    NotSelect,
    /// A form that is not allowed here.
    #[error("`sql`: {} is not allowed here; the guide `sql` says what is", shown(what))]
    Form {
        /// The form.
        what: String,
    },
    /// A function that is not allowed.
    #[error("`sql`: there is no function `{}` here{}", shown(name), other_functions(name))]
    Function {
        /// Its name.
        name: String,
    },
    /// A table function in place of a table.
    #[error(
        "`sql`: `{}` is no table; rows come from the declared tables alone, and no function makes them",
        shown(name)
    )]
    TableFunction {
        /// Its name.
        name: String,
    },
    /// A table that is not declared.
    #[error("`sql`: there is no table `{name}`{hint}")]
    Table {
        /// Its name.
        name: String,
        /// The substitute.
        hint: String,
    },
    /// A table that this caller may not read.
    #[error("{message}")]
    Closed {
        /// The reason.
        message: String,
    },
    /// A column that no table of the SELECT has.
    #[error("`sql`: there is no column `{name}`{}", other_columns(name, known))]
    Column {
        /// Its name.
        name: String,
        /// The known columns.
        known: Vec<String>,
    },
    /// A column that several tables have.
    #[error("`sql`: several tables have a column `{name}`; write the table before it, such as `s.{name}`")]
    Ambiguous {
        /// Its name.
        name: String,
    },
    /// Two columns of the answer have one name.
    #[error("`sql`: two columns of the answer are called `{name}`; give one another name with AS")]
    Twice {
        /// The name.
        name: String,
    },
    /// The name of a column is too long.
    #[error(
        "`sql`: the name of a column has {bytes} bytes; at most {most} are allowed; give it another with AS"
    )]
    Name {
        /// Its length in bytes.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// The planner refuses it.
    #[error("`sql`: {}", shortened(message))]
    Unplanned {
        /// The planner's message.
        message: String,
    },
    /// A value cannot be computed.
    #[error("`sql`: {}{}", shortened(message), instead(message))]
    Computed {
        /// The engine's message.
        message: String,
    },
    /// A number out of the range of its type.
    #[error(
        "`sql`: {}; whole numbers go from -2^63 to 2^63 - 1, decimals have 38 digits: CAST(x AS DOUBLE) computes beyond",
        shortened(message)
    )]
    Range {
        /// The engine's message.
        message: String,
    },
    /// The engine cannot run it.
    #[error("`sql`: {message}")]
    Unsupported {
        /// The problem and a substitute.
        message: String,
    },
    /// A placeholder that is not a number.
    #[error("`sql`: `{name}` is no place for a value; places are $1, $2 and so on")]
    Placeholder {
        /// The placeholder.
        name: String,
    },
    /// A placeholder without a value.
    #[error("`params`: there is no value for `{name}`; {values} are given")]
    Unbound {
        /// The placeholder.
        name: String,
        /// The number of values.
        values: usize,
    },
    /// A value without a placeholder.
    #[error("`params`: nothing in the SELECT takes value {place}; write `${place}` there or leave it out")]
    Unused {
        /// The number of the value, from 1.
        place: usize,
    },
    /// A value of the wrong type.
    #[error("`params`: `{value}` for `{name}` is not {ty}")]
    Value {
        /// The placeholder.
        name: String,
        /// The value.
        value: String,
        /// The expected type.
        ty: String,
    },
    /// The answer exceeds its limit.
    #[error("the answer is longer than {most} bytes; select fewer columns, or fewer rows with `limit`")]
    Answer {
        /// The limit in bytes.
        most: usize,
    },
    /// The run exceeds its memory.
    #[error(
        "the SELECT needs more than {} MiB of memory; filter before it sorts, groups, joins or looks over windows",
        most >> 20
    )]
    Memory {
        /// The limit in bytes.
        most: usize,
    },
    /// It ended the child process that ran it.
    #[error(
        "the SELECT needs more than {} MiB of memory, or is nested deeper than can be planned; filter before it sorts, groups, joins or \
         looks over windows, and write it in smaller steps",
        most >> 20
    )]
    Ended {
        /// The memory limit in bytes.
        most: usize,
    },
    /// Another error of the engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl SelectRefusal {
    /// Converts an error that occurs while a plan runs.
    pub(super) fn of_run(error: DataFusionError, memory: usize) -> Self {
        match error.find_root() {
            DataFusionError::ResourcesExhausted(_) => Self::Memory { most: memory },
            DataFusionError::Execution(message) if message.contains("failed to reserve") => {
                Self::Memory { most: memory }
            }
            _ => error.into(),
        }
    }

    /// Returns the refusal of a SELECT on which the engine itself failed.
    pub fn engine_failed() -> Self {
        Self::Unsupported { message: UNKNOWN.to_owned() }
    }
}

impl From<DataFusionError> for SelectRefusal {
    /// Converts an error of planning.
    fn from(error: DataFusionError) -> Self {
        match error.find_root() {
            DataFusionError::SchemaError(inner, _) => match inner.as_ref() {
                SchemaError::FieldNotFound { field, valid_fields } => {
                    let mut known: Vec<String> =
                        valid_fields.iter().map(|field| field.name.clone()).collect();
                    known.sort();
                    known.dedup();
                    Self::Column { name: shown(&name_of(field)), known }
                }
                SchemaError::AmbiguousReference { field } => Self::Ambiguous { name: shown(&field.name) },
                other => Self::Unplanned { message: other.to_string() },
            },
            DataFusionError::SQL(inner, _) => Self::Syntax { message: inner.to_string() },
            DataFusionError::ArrowError(inner, _) => match inner.as_ref() {
                ArrowError::ArithmeticOverflow(message) => Self::Range { message: message.clone() },
                ArrowError::ComputeError(message) if message.contains("overflow") => {
                    Self::Range { message: message.clone() }
                }
                ArrowError::CastError(message) if message.contains(" to type Int") => {
                    Self::Range { message: message.clone() }
                }
                other => Self::Computed { message: other.to_string() },
            },
            DataFusionError::Plan(message)
            | DataFusionError::Configuration(message)
            | DataFusionError::NotImplemented(message)
            | DataFusionError::Internal(message)
            | DataFusionError::Execution(message)
                if let Some(message) = unsupported(message) =>
            {
                Self::Unsupported { message }
            }
            DataFusionError::Plan(message) | DataFusionError::Configuration(message) => {
                Self::Unplanned { message: message.clone() }
            }
            DataFusionError::NotImplemented(message) | DataFusionError::Internal(message) => {
                Self::Unsupported { message: format!("{}: {UNKNOWN}", shortened(message)) }
            }
            DataFusionError::Execution(message) => Self::Computed { message: message.clone() },
            _ => Self::Engine(error.into()),
        }
    }
}

impl From<SelectRefusal> for ClientError {
    fn from(refused: SelectRefusal) -> Self {
        match refused {
            SelectRefusal::Engine(error) => error.into(),
            SelectRefusal::Closed { .. } => Self::new(ErrorKind::Forbidden, refused.to_string()),
            refused => Self::new(ErrorKind::BadRequest, refused.to_string()),
        }
    }
}

/// Returns a column as written.
fn name_of(column: &Column) -> String {
    match &column.relation {
        Some(table) => format!("{}.{}", table.table(), column.name),
        None => column.name.clone(),
    }
}

fn other_columns(name: &str, known: &[String]) -> String {
    let bare = name.rsplit('.').next().unwrap_or(name);
    let near = nearest(bare, known.iter().map(String::as_str))
        .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    let more = if known.len() > NAMED { " and others" } else { "" };
    let names: Vec<&str> = known.iter().take(NAMED).map(String::as_str).collect();
    if names.is_empty() { near } else { format!("{near}; there are {}{more}", names.join(", ")) }
}

fn other_functions(name: &str) -> String {
    if let Some((_, instead)) = INSTEAD.iter().find(|(known, _)| *known == name) {
        return format!("; {instead}");
    }
    let all = || FUNCTIONS.iter().flat_map(|(_, names)| names.iter().copied());
    let near = nearest(name, all()).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    format!("{near}; the guide `sql` lists those that there are")
}

/// Returns a hint for values that cannot be computed.
fn instead(message: &str) -> &'static str {
    if message.contains("more than one row") {
        return "; add LIMIT 1 to the subquery, or make one row of it with an aggregate such as MAX";
    }
    let is_value = ["cast", "Cast", "parse", "Parse", "zero", "outside", "range"]
        .iter()
        .any(|word| message.contains(word));
    if is_value { "; TRY_CAST and NULLIF give null instead" } else { "" }
}

/// The message if the engine's is not about the SELECT.
const UNKNOWN: &str =
    "this cannot be run in this form; write it in another way, such as with a join or a CTE";

/// Returns a message instead of one in which the engine shows its internal structures; `None` if the engine's message is clear.
fn unsupported(message: &str) -> Option<String> {
    const SUBQUERIES: &str = "a subquery that names a table around it can be run in WHERE and HAVING, and where it compares with `=`; \
                              join the tables instead";
    let between = |start: &str| message.split_once(start)?.1.split_once('\'').map(|(word, _)| shown(word));
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
    is_structure.then(|| UNKNOWN.to_owned())
}

/// Returns the first line of the engine's message, without prefixes and cut to a limit.
fn shortened(message: &str) -> String {
    const LONGEST: usize = 300;
    let line = message.lines().next().unwrap_or_default();
    let starts = ["sql parser error: ", "Error during planning: ", "Execution error: ", "Internal error: "];
    let line = starts.iter().fold(line, |line, start| line.trim_start_matches(start));
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
