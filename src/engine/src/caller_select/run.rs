//! Plans and runs a user-written SELECT, and encodes its rows.

use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::{ArrayRef, AsArray as _, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result as PlanResult};
use datafusion::execution::context::SessionState;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column as PlanColumn};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};
use datafusion::sql::parser::Statement as PlannedStatement;
use futures::StreamExt as _;
use futures::future::BoxFuture;

use super::bound::{bind, replace_placeholders};
use super::cast_names::{self, distinguish_casts};
use super::idle_plans::RunnableSelect;
use super::refusal::SelectRefusal;
use super::requested_list::RequestedList;
use super::statement::UserStatement;
use super::{SelectLimits, UserSelect, listing, scope};
use crate::answers::format::{self, AnswerSource, RowShape};
use crate::answers::json::JsonRows;
use crate::answers::result_column::ResultColumn;
use crate::deadline::Deadline;
use crate::encoded::{EncodedAnswer, Extent};
use crate::snapshot::Snapshot;
use parquote_catalogue::operation::{Answer, Dictionary, Unit};
use parquote_functions::arrow_types::column_type;
use parquote_functions::context::task_of;

/// Maximum number of plan nodes, including the nodes of views.
const MOST_NODES: usize = 1_500;
/// Maximum number of columns of a plan node.
const MOST_COLUMNS: usize = 1_000;
/// Maximum length of a column name, in bytes, because each row of an answer may repeat it. PostgreSQL has the same limit.
const LONGEST_NAME: usize = 63;

impl Snapshot {
    /// Answers a user-written SELECT. Its deadline is checked at each wait; between waits, the parent process kills it.
    ///
    /// # Errors
    /// SQL that is not allowed, tables that may not be read, an exceeded limit, a fault of the engine.
    pub fn run_user_select<'a>(
        &'a self,
        user_select: &'a UserSelect<'a>,
        limits: &'a SelectLimits,
        deadline: Deadline,
    ) -> BoxFuture<'a, Result<EncodedAnswer, SelectRefusal>> {
        // Boxed so that the compiler examines this large future only once.
        Box::pin(async move {
            let deadline = deadline.within(limits.time);
            let planned = tokio::time::timeout_at(deadline.at(), self.plan_select(user_select, limits)).await;
            let planned = planned.map_err(|_| deadline.timeout_error())??;
            let answer =
                tokio::time::timeout_at(deadline.at(), self.encode_rows(&planned, user_select, limits)).await;
            let answer = answer.map_err(|_| deadline.timeout_error())??;
            self.select_states.idle.return_plan((user_select, limits), planned);
            Ok(answer)
        })
    }

    async fn plan_select(
        &self,
        user_select: &UserSelect<'_>,
        limits: &SelectLimits,
    ) -> Result<RunnableSelect, SelectRefusal> {
        let logical = if let Some(list) = RequestedList::parse(user_select.sql) {
            list.plan(self, user_select)?
        } else {
            let mut statement = self.parse_and_check(user_select)?;
            // A plan with the lists of one caller does not serve another.
            let has_lists = statement.relations.iter().any(listing::is_list);
            if !has_lists && let Some(idle) = self.select_states.idle.take_idle((user_select, limits)) {
                return Ok(idle);
            }
            let literal_indices = replace_placeholders(&mut statement.parsed, user_select.values);
            let mut plan = self.plan_without_values(user_select, statement).await?;
            if has_lists {
                plan = listing::fill_lists(plan, self, user_select)?;
            }
            bind(plan, user_select.values, &literal_indices)?
        };
        let state = self.state(user_select)?;
        // One row more than requested is fetched, to know if there are more.
        let take = user_select.limit.saturating_add(1);
        let logical = LogicalPlanBuilder::from(logical).limit(user_select.offset, Some(take))?.build()?;
        let plan = cast_to_answer_types(state.create_physical_plan(&logical).await?)?;
        let columns = columns(&plan, self.engine().catalogue().dictionary())?;
        let runtime = self.engine().runtimes.runtime_within(limits.memory / 4 * 3)?;
        let context = Arc::new(task_of(state, runtime));
        Ok(RunnableSelect { plan, columns, context })
    }

    pub(super) fn parse_and_check(
        &self,
        user_select: &UserSelect<'_>,
    ) -> Result<UserStatement, SelectRefusal> {
        let statement = UserStatement::parse(user_select.sql)?;
        scope::check(&statement, self, user_select)?;
        Ok(statement)
    }

    /// Returns the state in which names mean the tables of this snapshot.
    fn state(&self, user_select: &UserSelect<'_>) -> Result<&SessionState, SelectRefusal> {
        let state =
            self.select_states.get_or_make(user_select.market, || scope::state(self, user_select.market));
        Ok(state.ok_or_else(|| self.missing_tables_error(user_select.market, Vec::new()))?)
    }

    /// Plans a checked SELECT, without its values.
    pub(super) async fn plan_without_values(
        &self,
        user_select: &UserSelect<'_>,
        statement: UserStatement,
    ) -> Result<LogicalPlan, SelectRefusal> {
        let state = self.state(user_select)?;
        let plan = |parsed| state.statement_to_plan(PlannedStatement::Statement(parsed));
        let logical = match plan(statement.parsed.clone()).await {
            Err(error) if cast_names::is_duplicate_name(&error) => {
                plan(Box::new(distinguish_casts(*statement.parsed))).await?
            }
            planned => planned?,
        };
        check_size(&logical)?;
        Ok(logical)
    }

    async fn encode_rows(
        &self,
        planned: &RunnableSelect,
        user_select: &UserSelect<'_>,
        limits: &SelectLimits,
    ) -> Result<EncodedAnswer, SelectRefusal> {
        let run_error = |error: DataFusionError| SelectRefusal::from_run_error(error, limits.memory);
        let (schema, json) = (planned.plan.schema(), JsonRows::new(&planned.columns));
        let shape =
            RowShape { answer: Answer::List, columns: &planned.columns, schema: &schema, json: &json };
        let mut encoder = format::encoder(user_select.format, &shape);
        let plan = reset_plan_states(Arc::clone(&planned.plan)).map_err(run_error)?;
        let mut stream = plan.execute(0, Arc::clone(&planned.context)).map_err(run_error)?;
        let (mut rows, mut more, mut bytes) = (0, false, 0);
        while let Some(batch) = stream.next().await {
            let batch = batch.map_err(run_error)?;
            let retained = batch.num_rows().min(user_select.limit - rows);
            more = retained < batch.num_rows();
            let batch = batch.slice(0, retained);
            bytes += bytes_of_rows(&batch);
            if bytes > limits.answer {
                return Err(SelectRefusal::Answer(limits.answer));
            }
            rows += retained;
            encoder.encode(batch).map_err(|error| run_error(error.into()))?;
            if more {
                break;
            }
        }
        let as_of = self.as_of(user_select.market).map(|day| day.to_string());
        let source = AnswerSource { operation: "query", snapshot: self.id(), as_of };
        let body = encoder.finish(&[], &source).map_err(|error| run_error(error.into()))?;
        if body.len() > limits.answer {
            return Err(SelectRefusal::Answer(limits.answer));
        }
        let total =
            (!more).then_some(user_select.offset + rows).filter(|_| rows > 0 || user_select.offset == 0);
        let extent = Extent { offset: user_select.offset, rows, total, more };
        Ok(EncodedAnswer { body: body.into(), wrapper: Bytes::new(), extent: Some(extent) })
    }
}

/// Returns the bytes of a batch's rows, without the rest of the buffers that it is a slice of.
fn bytes_of_rows(batch: &RecordBatch) -> usize {
    batch
        .columns()
        .iter()
        .map(|column| column.to_data().get_slice_memory_size().unwrap_or_default() + bytes_of_texts(column))
        .sum()
}

/// Returns the bytes of the texts that a view column points to.
fn bytes_of_texts(column: &ArrayRef) -> usize {
    column.as_string_view_opt().map_or(0, |texts| texts.lengths().map(|length| length as usize).sum())
}

/// Checks the number of a plan's nodes and columns.
fn check_size(plan: &LogicalPlan) -> Result<(), SelectRefusal> {
    let (mut nodes, mut columns) = (0, 0);
    plan.apply_with_subqueries(|node| {
        nodes += 1;
        columns = columns.max(node.schema().fields().len());
        let is_too_large = nodes > MOST_NODES || columns > MOST_COLUMNS;
        Ok(if is_too_large { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    let counts = [("steps of a plan, views included", MOST_NODES, nodes), ("columns", MOST_COLUMNS, columns)];
    match counts.into_iter().find(|(_, most, count)| count > most) {
        Some((what, most, count)) => Err(SelectRefusal::TooMuch { what, most, count }),
        None => Ok(()),
    }
}

/// Casts columns to the types of answers: a decimal becomes a number, a time a text. The types are read from the physical plan, because
/// those of UNION and CASE are not final in the logical plan.
fn cast_to_answer_types(plan: Arc<dyn ExecutionPlan>) -> PlanResult<Arc<dyn ExecutionPlan>> {
    let schema = plan.schema();
    if schema.fields().iter().all(|field| answer_type(field.data_type()).is_none()) {
        return Ok(plan);
    }
    let columns = schema.fields().iter().enumerate().map(|(at, field)| {
        let column: Arc<dyn PhysicalExpr> = Arc::new(PlanColumn::new(field.name(), at));
        let expr = match answer_type(field.data_type()) {
            None => column,
            Some(ty) => Arc::new(CastExpr::new(column, ty, None)),
        };
        ProjectionExpr { expr, alias: field.name().clone() }
    });
    Ok(Arc::new(ProjectionExec::try_new(columns.collect::<Vec<_>>(), plan)?))
}

/// Returns the type that a column is cast to for the answer; `None` if it is not cast.
fn answer_type(ty: &DataType) -> Option<DataType> {
    match ty {
        DataType::Utf8 | DataType::Utf8View | DataType::Float64 | DataType::Boolean | DataType::Date32 => {
            None
        }
        DataType::List(item) if matches!(item.data_type(), DataType::Utf8 | DataType::Utf8View) => None,
        // Numbers beyond `i64` are refused.
        DataType::UInt64 => Some(DataType::Int64),
        ty if ty.is_integer() => None,
        ty if ty.is_numeric() => Some(DataType::Float64),
        _ => Some(DataType::Utf8View),
    }
}

/// Describes the columns of the answer. A column with the name of a table column has its unit, by which it is rounded.
fn columns(
    plan: &Arc<dyn ExecutionPlan>,
    dictionary: &Dictionary,
) -> Result<Vec<ResultColumn>, SelectRefusal> {
    let schema = plan.schema();
    let mut columns: Vec<ResultColumn> = Vec::with_capacity(schema.fields().len());
    for field in schema.fields() {
        if field.name().len() > LONGEST_NAME {
            return Err(SelectRefusal::Name { bytes: field.name().len(), most: LONGEST_NAME });
        }
        if columns.iter().any(|column| column.name == *field.name()) {
            return Err(SelectRefusal::DuplicateName(field.name().clone()));
        }
        columns.push(column(field, dictionary));
    }
    Ok(columns)
}

fn column(field: &Field, dictionary: &Dictionary) -> ResultColumn {
    let entry = dictionary.get(field.name());
    ResultColumn {
        name: field.name().clone(),
        ty: column_type(field.data_type()).unwrap_or(parquote_catalogue::operation::ColumnType::Text),
        nullable: field.is_nullable(),
        unit: entry.map_or(Unit::None, |entry| entry.unit),
        words: entry.map(|entry| entry.words.clone()).unwrap_or_default(),
        fields: Vec::new(),
    }
}
