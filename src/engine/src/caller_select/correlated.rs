//! `(SELECT SUM(u.x) FROM u WHERE u.b < t.b)`: a scalar subquery that refers to an outer table in a comparison other than `=`. The engine
//! cannot run it. Here the subquery is computed once for each distinct value of its outer columns, and joined by these values.

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

/// Prefix of the names of tables with computed numbers.
const NUMBERS_PREFIX: &str = "__numbers_";

/// Joins the rows of a plan with the results of the correlated subqueries in `exprs`. Returns the joined plan, and the expressions with
/// columns in place of these subqueries; `None` if there is no such subquery.
pub(super) fn join_subqueries(
    outer_plan: &Arc<LogicalPlan>,
    exprs: Vec<Expr>,
) -> Result<Option<(LogicalPlan, Vec<Expr>)>> {
    // Each subquery plans the outer rows once more, so that the plan of nested subqueries would double with each of them.
    if exprs.iter().all(|expr| !has_subquery(expr)) || outer_plan.exists(|node| Ok(is_joined_result(node)))? {
        return Ok(None);
    }
    let (mut rows, mut is_found) = (outer_plan.as_ref().clone(), false);
    let mut substitute = |expr: Expr| {
        let Expr::ScalarSubquery(subquery) = &expr else { return Ok(Transformed::no(expr)) };
        let Some(parts) = NumberSubquery::from_subquery(subquery, outer_plan) else {
            return Ok(Transformed::no(expr));
        };
        let (joined, number) = parts.join_numbers(outer_plan, rows.clone())?;
        (rows, is_found) = (joined, true);
        Ok(Transformed::yes(number))
    };
    let substituted = exprs.into_iter().map(|expr| Ok(expr.transform_down(&mut substitute)?.data));
    let substituted = substituted.collect::<Result<Vec<Expr>>>()?;
    Ok(is_found.then_some((rows, substituted)))
}

fn has_subquery(expr: &Expr) -> bool {
    expr.exists(|expr| Ok(matches!(expr, Expr::ScalarSubquery(_)))).unwrap_or_default()
}

fn is_joined_result(node: &LogicalPlan) -> bool {
    matches!(node, LogicalPlan::SubqueryAlias(SubqueryAlias { alias, .. }) if alias.table().starts_with(NUMBERS_PREFIX))
}

/// The parts of a scalar subquery that the engine cannot run.
struct NumberSubquery<'a> {
    /// The expression of its one column, over the aggregates.
    number: &'a Expr,
    aggregates: &'a [Expr],
    filter: &'a Expr,
    rows: &'a Arc<LogicalPlan>,
}

impl<'a> NumberSubquery<'a> {
    /// Splits a subquery into its parts; `None` if the engine can run it, or if it has another form.
    fn from_subquery(Subquery { subquery, .. }: &'a Subquery, outer_plan: &LogicalPlan) -> Option<Self> {
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
        let is_outer = |expr: &Expr| matches!(expr, Expr::OuterReferenceColumn(_, column) if !outer_plan.schema().has_column(column));
        let has_further_outer = filter.exists(|expr| Ok(is_outer(expr))).unwrap_or(true);
        let is_supported = |part: &&Expr| {
            !part.contains_outer() || matches!(part, Expr::BinaryExpr(BinaryExpr { op: Operator::Eq, .. }))
        };
        let is_plain = |expr: &Expr| matches!(expr, Expr::AggregateFunction(_)) && !expr.contains_outer();
        let is_of_this_form = !number.contains_outer()
            && aggregates.iter().all(is_plain)
            && !rows.contains_outer_reference()
            && !has_subquery(filter)
            && !has_further_outer;
        (is_of_this_form && !split_conjunction(filter).iter().all(is_supported)).then_some(Self {
            number,
            aggregates,
            filter,
            rows,
        })
    }

    /// Joins each row with the number that the subquery computes for it. Returns the joined plan, and the column of these numbers.
    fn join_numbers(&self, outer_plan: &LogicalPlan, rows: LogicalPlan) -> Result<(LogicalPlan, Expr)> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let (values, numbers) = (format!("__values_{count}"), format!("{NUMBERS_PREFIX}{count}"));
        let key = |table: &str, at: usize| Column::new(Some(table.to_owned()), format!("__value_{at}"));
        let mut outer: Vec<Column> = Vec::new();
        let filter = self.filter.clone().transform_up(|expr| {
            let Expr::OuterReferenceColumn(_, column) = expr else { return Ok(Transformed::no(expr)) };
            let at = outer.iter().position(|other| *other == column).unwrap_or_else(|| {
                outer.push(column);
                outer.len() - 1
            });
            Ok(Transformed::yes(Expr::Column(key(&values, at))))
        })?;
        let aliased =
            outer.iter().enumerate().map(|(at, column)| Expr::Column(column.clone()).alias(key("", at).name));
        let domain = LogicalPlanBuilder::from(outer_plan.clone())
            .project(aliased)?
            .distinct()?
            .alias(values.as_str())?;
        let keys = |table: &str| (0..outer.len()).map(|at| key(table, at)).collect::<Vec<Column>>();
        let columns = || keys(&values).into_iter().map(Expr::Column);

        // In the left join, a value without matching rows has one row of nulls, which no aggregate may count.
        let is_there = format!("__is_there_{count}");
        let marked =
            self.rows.schema().columns().into_iter().map(Expr::Column).chain([lit(true).alias(&is_there)]);
        let marked = LogicalPlanBuilder::from(self.rows.as_ref().clone()).project(marked)?.build()?;
        let per_value = domain.join_on(marked, JoinType::Left, [filter.data])?;
        let per_value = per_value.aggregate(
            columns(),
            self.aggregates.iter().map(|aggregate| restrict_to_existing(aggregate, &is_there)),
        )?;
        let per_value =
            per_value.project([self.number.clone().alias("__number")].into_iter().chain(columns()))?;
        let per_value = per_value.alias(numbers.as_str())?.build()?;

        let on = (outer.clone(), keys(&numbers));
        let rows = LogicalPlanBuilder::from(rows);
        let rows = rows.join_detailed(per_value, JoinType::Left, on, None, NullEquality::NullEqualsNull)?;
        Ok((rows.build()?, Expr::Column(Column::new(Some(numbers), "__number"))))
    }
}

/// Restricts an aggregate to existing rows, under its original name.
fn restrict_to_existing(aggregate: &Expr, is_there: &str) -> Expr {
    let (name, exists) = (aggregate.schema_name().to_string(), ident(is_there).is_not_null());
    let Expr::AggregateFunction(mut function) = aggregate.clone() else { return aggregate.clone() };
    let filter = function.params.filter.take();
    function.params.filter = Some(Box::new(match filter {
        Some(filter) => exists.and(*filter),
        None => exists,
    }));
    Expr::AggregateFunction(function).alias(name)
}
