//! The SELECT of a staged table, planned once: expressions that are evaluated on the rows of a file as they are read.
//!
//! It sees one row at a time. What takes several rows, such as duplicates, is a rule of the table's header.

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

/// The name of the table from which it reads.
const STAGED: &str = "staged";

/// A planned SELECT.
#[derive(Debug)]
pub(super) struct RowSelect {
    /// The first is evaluated on the rows as they are read, each later one on what the one before gives.
    steps: Vec<SelectStep>,
}

#[derive(Debug)]
enum SelectStep {
    Columns(Vec<(String, Arc<dyn PhysicalExpr>)>),
    Order(Vec<Arc<dyn PhysicalExpr>>),
}

/// What a SELECT makes of rows: a row for each, in their order.
pub(super) struct SelectedRows {
    pub(super) columns: RecordBatch,
    /// What its `ORDER BY` names.
    pub(super) order: Vec<ArrayRef>,
}

impl RowSelect {
    /// Plans a SELECT over rows of these columns.
    ///
    /// # Errors
    /// SQL that cannot be planned, or that looks at more than one row at a time.
    pub(super) fn plan(sql: &str, columns: &SchemaRef, market: Market) -> Result<Self> {
        let (plan, state) = simplified(sql, columns, market)?;
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

    /// How many expressions its `ORDER BY` names.
    pub(super) fn ordered(&self) -> usize {
        let of = |step: &SelectStep| if let SelectStep::Order(by) = step { Some(by.len()) } else { None };
        self.steps.iter().rev().find_map(of).unwrap_or(0)
    }

    /// What it makes of rows.
    pub(super) fn of(&self, staged: RecordBatch) -> Result<SelectedRows> {
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

/// The plan of a SELECT, of which only the expressions are made simpler.
fn simplified(sql: &str, columns: &SchemaRef, market: Market) -> Result<(LogicalPlan, SessionState)> {
    let context = market_context(market, &Calendar::default());
    register(&context, STAGED, Arc::new(EmptyTable::new(Arc::clone(columns))))?;
    // No table has to be waited for.
    let planned = context.sql(sql).now_or_never();
    let planned = planned.ok_or_else(|| internal_datafusion_err!("the plan is not there at once"))??;
    let state = context.state();
    let plan = planned.into_unoptimized_plan();
    let plan = state.analyzer().execute_and_check(plan, state.config_options(), |_, _| {})?;
    // Some functions, as `coalesce`, are only there to be replaced by others.
    let simplifier = Optimizer::with_rules(vec![Arc::new(SimplifyExpressions::new())]);
    let plan = simplifier.optimize(plan, &state, |_, _| {})?;
    Ok((plan, state))
}
