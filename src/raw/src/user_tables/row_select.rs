//! The SELECT of a staged table, planned once: expressions that are evaluated on the rows of a file as they are read.
//!
//! The SELECT sees one row at a time. Rules over several rows, such as duplicates, are in the header of the table's file.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::common::{internal_datafusion_err, plan_err};
use datafusion::datasource::empty::EmptyTable;
use datafusion::error::Result;
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::Optimizer;
use datafusion::optimizer::simplify_expressions::SimplifyExpressions;
use datafusion::physical_expr::PhysicalExpr;
use futures::FutureExt as _;

use parquote_catalogue::operation::Market;
use parquote_functions::Calendar;
use parquote_functions::context::{market_context, register};

/// The name of the table that the SELECT reads.
const STAGED: &str = "staged";

#[derive(Debug)]
pub(super) struct RowSelect {
    /// Evaluated in order: the first on the rows of files, each later one on the result of its predecessor.
    steps: Vec<SelectStep>,
}

#[derive(Debug)]
enum SelectStep {
    Columns(Vec<(String, Arc<dyn PhysicalExpr>)>),
    Order(Vec<Arc<dyn PhysicalExpr>>),
}

/// The result of a SELECT: one row for each input row, in their order.
pub(super) struct SelectedRows {
    pub(super) columns: RecordBatch,
    /// The values of the `ORDER BY` expressions.
    pub(super) order: Vec<ArrayRef>,
}

impl RowSelect {
    /// Plans a SELECT over rows of these columns.
    ///
    /// # Errors
    /// The SQL cannot be planned, or uses more than one row at a time.
    pub(super) fn plan(sql: &str, columns: &SchemaRef, market: Market) -> Result<Self> {
        let (plan, state) = plan_simplified(sql, columns, market)?;
        let (mut steps, mut node) = (Vec::new(), &plan);
        loop {
            let physical =
                |expr: &Expr, input: &LogicalPlan| state.create_physical_expr(expr.clone(), input.schema());
            node = match node {
                LogicalPlan::Projection(select) => {
                    let names = select.schema.fields().iter().map(|field| field.name().clone());
                    let exprs = select.expr.iter().map(|expr| physical(expr, &select.input));
                    let columns = names.zip(exprs).map(|(name, expr)| Ok((name, expr?)));
                    steps.push(SelectStep::Columns(columns.collect::<Result<_>>()?));
                    &select.input
                }
                LogicalPlan::Sort(sort) => {
                    let exprs = sort.expr.iter().map(|by| physical(&by.expr, &sort.input));
                    steps.push(SelectStep::Order(exprs.collect::<Result<_>>()?));
                    &sort.input
                }
                LogicalPlan::SubqueryAlias(named) => &named.input,
                LogicalPlan::TableScan(_) => break,
                other => {
                    return plan_err!(
                        "the SELECT of a staged table looks at one row at a time: {}",
                        other.display()
                    );
                }
            };
        }
        steps.reverse();
        Ok(Self { steps })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let columns = self.steps.iter().rev().find_map(|step| match step {
            SelectStep::Columns(columns) => Some(columns),
            SelectStep::Order(_) => None,
        });
        columns.into_iter().flatten().map(|(name, _)| name.as_str())
    }

    /// Returns the number of `ORDER BY` expressions.
    pub(super) fn order_length(&self) -> usize {
        let length = |step: &SelectStep| if let SelectStep::Order(by) = step { Some(by.len()) } else { None };
        self.steps.iter().rev().find_map(length).unwrap_or(0)
    }

    /// Evaluates the SELECT on rows.
    pub(super) fn apply(&self, staged: RecordBatch) -> Result<SelectedRows> {
        let rows = staged.num_rows();
        let mut selected = SelectedRows { columns: staged, order: Vec::new() };
        for step in &self.steps {
            let array = |expr: &Arc<dyn PhysicalExpr>| expr.evaluate(&selected.columns)?.into_array(rows);
            match step {
                SelectStep::Order(by) => selected.order = by.iter().map(array).collect::<Result<_>>()?,
                SelectStep::Columns(exprs) => {
                    let arrays = exprs.iter().map(|(_, expr)| array(expr)).collect::<Result<Vec<_>>>()?;
                    let field = |((name, _), array): (&(String, _), &ArrayRef)| {
                        Field::new(name, array.data_type().clone(), true)
                    };
                    let schema = Schema::new(exprs.iter().zip(&arrays).map(field).collect::<Vec<_>>());
                    let options = RecordBatchOptions::new().with_row_count(Some(rows));
                    selected.columns = RecordBatch::try_new_with_options(Arc::new(schema), arrays, &options)?;
                }
            }
        }
        Ok(selected)
    }
}

/// Plans a SELECT and simplifies only its expressions.
fn plan_simplified(sql: &str, columns: &SchemaRef, market: Market) -> Result<(LogicalPlan, SessionState)> {
    let context = market_context(market, &Calendar::default());
    register(&context, STAGED, Arc::new(EmptyTable::new(Arc::clone(columns))))?;
    // Planning never waits for a table.
    let planned = context.sql(sql).now_or_never();
    let planned = planned.ok_or_else(|| internal_datafusion_err!("the plan is not there at once"))??;
    let state = context.state();
    let plan = planned.into_unoptimized_plan();
    let plan = state.analyzer().execute_and_check(plan, state.config_options(), |_, _| {})?;
    // Some functions, such as `coalesce`, are placeholders that the simplifier replaces.
    let simplifier = Optimizer::with_rules(vec![Arc::new(SimplifyExpressions::new())]);
    let plan = simplifier.optimize(plan, &state, |_, _| {})?;
    Ok((plan, state))
}
