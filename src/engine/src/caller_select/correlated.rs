//! `(SELECT SUM(u.x) FROM u WHERE u.b < t.b)`: a scalar subquery that refers to an outer table in a comparison other than `=`. The engine
//! cannot run it. Here it is computed for each value of the outer table and joined by these values.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, JoinType, NullEquality};
use datafusion::error::Result;
use datafusion::logical_expr::logical_plan::{Aggregate, SubqueryAlias};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    BinaryExpr, Expr, Filter, LogicalPlan, LogicalPlanBuilder, Operator, Projection, Subquery, ident, lit,
};

/// Prefix of the names of computed tables.
const NUMBERS: &str = "__numbers_";

/// Joins the rows of a plan with the results of the correlated subqueries in `exprs`. Returns the joined plan, and the expressions with
/// columns in place of these subqueries; `None` if there is no such subquery.
pub(super) fn join_subqueries(
    around: &Arc<LogicalPlan>,
    exprs: Vec<Expr>,
) -> Result<Option<(LogicalPlan, Vec<Expr>)>> {
    // The outer rows are planned once more for each subquery, so that nesting would double them.
    if exprs.iter().all(|expr| !has_subquery(expr)) || around.exists(|node| Ok(is_joined(node)))? {
        return Ok(None);
    }
    let (mut rows, mut found) = (around.as_ref().clone(), false);
    let substitute = |expr: Expr| {
        let Expr::ScalarSubquery(subquery) = &expr else { return Ok(Transformed::no(expr)) };
        let Some(parts) = NumberSubquery::from_subquery(subquery, around) else {
            return Ok(Transformed::no(expr));
        };
        let (beside, number) = parts.join_numbers(around, rows.clone())?;
        (rows, found) = (beside, true);
        Ok(Transformed::yes(number))
    };
    let mut substitute = substitute;
    let placed = exprs.into_iter().map(|expr| Ok(expr.transform_down(&mut substitute)?.data));
    let placed = placed.collect::<Result<Vec<Expr>>>()?;
    Ok(found.then_some((rows, placed)))
}

fn has_subquery(expr: &Expr) -> bool {
    expr.exists(|expr| Ok(matches!(expr, Expr::ScalarSubquery(_)))).unwrap_or_default()
}

fn is_joined(node: &LogicalPlan) -> bool {
    matches!(node, LogicalPlan::SubqueryAlias(SubqueryAlias { alias, .. }) if alias.table().starts_with(NUMBERS))
}

/// The parts of a subquery.
struct NumberSubquery<'a> {
    /// The resulting expression, over the aggregates.
    number: &'a Expr,
    aggregates: &'a [Expr],
    filter: &'a Expr,
    rows: &'a Arc<LogicalPlan>,
}

impl<'a> NumberSubquery<'a> {
    /// Returns `None` if the engine can run it, or for other forms.
    fn from_subquery(Subquery { subquery, .. }: &'a Subquery, around: &LogicalPlan) -> Option<Self> {
        let LogicalPlan::Projection(Projection { expr, input, .. }) = subquery.as_ref() else { return None };
        let LogicalPlan::Aggregate(Aggregate { input, group_expr, aggr_expr: aggregates, .. }) =
            input.as_ref()
        else {
            return None;
        };
        let LogicalPlan::Filter(Filter { predicate: filter, input: rows, .. }) = input.as_ref() else {
            return None;
        };
        let ([number], true) = (expr.as_slice(), group_expr.is_empty()) else { return None };
        let is_outer = |expr: &Expr| matches!(expr, Expr::OuterReferenceColumn(_, column) if !around.schema().has_column(column));
        let is_further_out = filter.exists(|expr| Ok(is_outer(expr))).unwrap_or(true);
        let is_run = |part: &&Expr| {
            !part.contains_outer() || matches!(part, Expr::BinaryExpr(BinaryExpr { op: Operator::Eq, .. }))
        };
        let is_plain = |expr: &Expr| matches!(expr, Expr::AggregateFunction(_)) && !expr.contains_outer();
        let is_of_this_form = !number.contains_outer()
            && aggregates.iter().all(is_plain)
            && !rows.contains_outer_reference()
            && !has_subquery(filter)
            && !is_further_out;
        (is_of_this_form && !split_conjunction(filter).iter().all(is_run)).then_some(Self {
            number,
            aggregates,
            filter,
            rows,
        })
    }

    /// Joins each row with the number that the subquery has for it, and returns the column of these numbers.
    fn join_numbers(&self, around: &LogicalPlan, rows: LogicalPlan) -> Result<(LogicalPlan, Expr)> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let (values, numbers) = (format!("__values_{count}"), format!("{NUMBERS}{count}"));
        let key = |table: &str, at: usize| Column::new(Some(table.to_owned()), format!("__value_{at}"));
        let mut outer: Vec<Column> = Vec::new();
        let filter = self.filter.clone().transform_up(|expr| {
            let Expr::OuterReferenceColumn(_, column) = expr else { return Ok(Transformed::no(expr)) };
            let at = outer.iter().position(|known| *known == column).unwrap_or_else(|| {
                outer.push(column);
                outer.len() - 1
            });
            Ok(Transformed::yes(Expr::Column(key(&values, at))))
        })?;
        let named =
            outer.iter().enumerate().map(|(at, column)| Expr::Column(column.clone()).alias(key("", at).name));
        let domain =
            LogicalPlanBuilder::from(around.clone()).project(named)?.distinct()?.alias(values.as_str())?;
        let keys = |table: &str| (0..outer.len()).map(|at| key(table, at)).collect::<Vec<Column>>();
        let columns = || keys(&values).into_iter().map(Expr::Column);

        // A value without rows has one row of nulls, which no aggregate may count.
        let is_there = format!("__is_there_{count}");
        let marked =
            self.rows.schema().columns().into_iter().map(Expr::Column).chain([lit(true).alias(&is_there)]);
        let marked = LogicalPlanBuilder::from(self.rows.as_ref().clone()).project(marked)?.build()?;
        let each = domain.join_on(marked, JoinType::Left, [filter.data])?;
        let each =
            each.aggregate(columns(), self.aggregates.iter().map(|of| restrict_to_existing(of, &is_there)))?;
        let each = each.project([self.number.clone().alias("__number")].into_iter().chain(columns()))?;
        let each = each.alias(numbers.as_str())?.build()?;

        let on = (outer.clone(), keys(&numbers));
        let rows = LogicalPlanBuilder::from(rows);
        let rows = rows.join_detailed(each, JoinType::Left, on, None, NullEquality::NullEqualsNull)?;
        Ok((rows.build()?, Expr::Column(Column::new(Some(numbers), "__number"))))
    }
}

/// Restricts an aggregate to existing rows, under its original name.
fn restrict_to_existing(aggregate: &Expr, is_there: &str) -> Expr {
    let (name, there) = (aggregate.schema_name().to_string(), ident(is_there).is_not_null());
    let Expr::AggregateFunction(mut function) = aggregate.clone() else { return aggregate.clone() };
    let filter = function.params.filter.take();
    function.params.filter = Some(Box::new(match filter {
        Some(filter) => there.and(*filter),
        None => there,
    }));
    Expr::AggregateFunction(function).alias(name)
}
