//! `INTERSECT ALL` and `EXCEPT ALL`: the engine checks whether a row is on the other side, but not how often. Here the first of equal rows
//! is compared with the first on the other side, the second with the second.

use std::sync::Arc;

use datafusion::common::{JoinType, NullEquality};
use datafusion::error::Result;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::logical_plan::Join;
use datafusion::logical_expr::{Expr, ExprFunctionExt, LogicalPlan, LogicalPlanBuilder, col};

/// Returns true for joins of these operators; without ALL, the left side is distinct.
pub(super) fn is_all_operator(join: &Join) -> bool {
    matches!(join.join_type, JoinType::LeftSemi | JoinType::LeftAnti)
        && join.null_equality == NullEquality::NullEqualsNull
        && !matches!(*join.left, LogicalPlan::Distinct(_))
}

/// Joins rows that are numbered among their equals.
pub(super) fn join_numbered_rows(join: Join) -> Result<LogicalPlan> {
    const NUMBER_COLUMNS: [&str; 2] = ["__turn", "__other_turn"];
    let columns: Vec<Expr> = join.left.schema().columns().into_iter().map(Expr::Column).collect();
    let [left, right] = NUMBER_COLUMNS;
    let on = join.on.into_iter().chain([(col(left), col(right))]).collect();
    let (left, right) = (number_rows(join.left, left)?, number_rows(join.right, right)?);
    let join = Join::try_new(
        left, right, on, join.filter, join.join_type, join.join_constraint, join.null_equality,
        join.null_aware,
    )?;
    LogicalPlanBuilder::from(LogicalPlan::Join(join)).project(columns)?.build()
}

fn number_rows(rows: Arc<LogicalPlan>, number_column: &str) -> Result<Arc<LogicalPlan>> {
    let columns: Vec<Expr> = rows.schema().columns().into_iter().map(Expr::Column).collect();
    let number = row_number().partition_by(columns.clone()).build()?;
    let aliased = col(number.schema_name().to_string()).alias(number_column);
    let rows = LogicalPlanBuilder::from(Arc::unwrap_or_clone(rows)).window(vec![number])?;
    Ok(Arc::new(rows.project(columns.into_iter().chain([aliased]))?.build()?))
}
