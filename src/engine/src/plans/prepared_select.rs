//! A SELECT of an operation, parsed on the tables of one market: the declarations of its columns and the encoder of its rows. It is parsed
//! once per process; its plan is made when it first runs on a snapshot.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::datatypes::{DataType, Field, SchemaRef};
use datafusion::error::DataFusionError;
use quick_cache::sync::Cache;

use super::template::Template;
use crate::answers::declared_drawing::declared_drawing;
use crate::answers::json::JsonRows;
use crate::answers::result_column::ResultColumn;
use crate::error::EngineError;
use crate::tables::market_tables::MarketTables;
use parquote_catalogue::operation::{Answer, ColumnType, Dictionary, Operation, Select, Unit, WrapField};
use parquote_functions::arrow_types::column_type;
use parquote_picture::spec::PictureSpec;

/// Key of a parsed SELECT: the scope of its tables, the operation's name, the SELECT's position in the operation.
type SelectKey = (Arc<str>, Arc<str>, usize);

/// Maximum number of cached SELECTs, several times the number that all operations have.
const MOST_SELECTS: usize = 2_048;

/// A SELECT of an operation, ready to be planned.
pub(crate) struct PreparedSelect {
    pub operation: Arc<Operation>,
    /// The operation's name and the SELECT's position in it, which identify its plans.
    pub name: Arc<str>,
    pub position: usize,
    pub template: Template,
    pub json: JsonRows,
    pub columns: Vec<ResultColumn>,
    /// The names and types of the columns.
    pub schema: SchemaRef,
    /// The shape of the answer.
    pub answer: Answer,
    /// Fields around the rows.
    pub wrap: Vec<WrapField>,
    /// Picture of the rows, if declared.
    pub picture: Option<PictureSpec>,
    /// The line of the query file on which the SQL starts.
    line: usize,
}

impl PreparedSelect {
    /// Returns the SELECT at a position of an operation, cached or parsed.
    pub(crate) async fn prepare(
        tables: &MarketTables,
        operation: &Arc<Operation>,
        (at, select): (usize, &Select),
        dictionary: &Dictionary,
    ) -> Result<Arc<Self>, EngineError> {
        static CACHE: LazyLock<Cache<SelectKey, Arc<PreparedSelect>>> =
            LazyLock::new(|| Cache::new(MOST_SELECTS));
        let key = (Arc::clone(&tables.scope), operation.name.as_str().into(), at);
        let parse = async { Self::parse(tables, operation, (at, select), dictionary).await.map(Arc::new) };
        // Two snapshots made at the same time wait for one parse.
        CACHE.get_or_insert_async(&key, parse).await
    }

    /// Parses the SELECT and finds the declarations of its columns.
    async fn parse(
        tables: &MarketTables,
        operation: &Arc<Operation>,
        (at, select): (usize, &Select),
        dictionary: &Dictionary,
    ) -> Result<Self, EngineError> {
        let parsed = Template::parse(&tables.state, operation, select).await;
        let template = parsed.map_err(|source| plan_error(operation, select.line, source))?;
        let columns = result_columns(&template, operation, select, dictionary)?;
        let picture = declared_drawing(operation, select, &columns)?;
        Ok(Self {
            operation: Arc::clone(operation),
            name: operation.name.as_str().into(),
            position: at,
            json: JsonRows::new(&columns),
            schema: Arc::clone(template.schema()),
            template,
            columns,
            answer: select.answer,
            wrap: select.wrap.clone(),
            picture,
            line: select.line,
        })
    }

    /// Returns the error for SQL that does not plan.
    pub(crate) fn plan_error(&self, source: DataFusionError) -> EngineError {
        plan_error(&self.operation, self.line, source)
    }
}

fn plan_error(operation: &Operation, line: usize, source: DataFusionError) -> EngineError {
    EngineError::Plan { file: operation.file.clone(), line, source: Box::new(source) }
}

fn result_columns(
    template: &Template,
    operation: &Operation,
    select: &Select,
    dictionary: &Dictionary,
) -> Result<Vec<ResultColumn>, EngineError> {
    let rule = |message| EngineError::Rule { file: operation.file.clone(), line: select.line, message };
    let fields = template.schema().fields();
    let names: Vec<&String> = fields.iter().map(|field| field.name()).collect();
    if let Some((_, twice)) =
        names.iter().enumerate().find(|(at, name)| names.iter().take(*at).any(|earlier| earlier == *name))
    {
        return Err(rule(format!("the column `{twice}` occurs twice; give one of them another name")));
    }
    let mut faults = Vec::new();
    let columns = fields.iter().map(|field| result_column(field, operation, dictionary));
    let columns: Vec<ResultColumn> =
        columns.filter_map(|column| column.map_err(|fault| faults.push(fault)).ok()).collect();
    if faults.is_empty() { Ok(columns) } else { Err(rule(faults.join("; "))) }
}

/// Describes a column of an answer, or of a nested row; the error is a message.
fn result_column(
    field: &Field,
    operation: &Operation,
    dictionary: &Dictionary,
) -> Result<ResultColumn, String> {
    let name = field.name();
    let declared = operation.columns.iter().find(|column| column.name == *name);
    let (unit, words) = match (declared, dictionary.get(name)) {
        (Some(column), _) => (column.unit, column.words.clone()),
        (None, Some(entry)) => (entry.unit, entry.words.clone()),
        // Callers never see the rows that a Rust function processes.
        (None, None) if !operation.answers_from_select() => (Unit::None, String::new()),
        (None, None) => {
            let ty = column_type(field.data_type()).map_or("text", ColumnType::word);
            let mark = if field.is_nullable() { "?" } else { "" };
            return Err(format!(
                "the column `{name}` has no words; name it as a table does, or write `-- column: {name} {ty}{mark} \"What it is.\"`"
            ));
        }
    };
    let ty = declared.map(|column| column.ty).or_else(|| column_type(field.data_type()));
    let ty = ty.ok_or_else(|| {
        format!("the column `{name}` has the type {}, which no answer has", field.data_type())
    })?;
    let row_type = match field.data_type() {
        DataType::List(item) => item.data_type(),
        other => other,
    };
    let fields = match row_type {
        DataType::Struct(fields) => fields
            .iter()
            .map(|field| result_column(field, operation, dictionary))
            .collect::<Result<_, _>>()?,
        _ => Vec::new(),
    };
    Ok(ResultColumn { name: name.clone(), ty, nullable: field.is_nullable(), unit, words, fields })
}
