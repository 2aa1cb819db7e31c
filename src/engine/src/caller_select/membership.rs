//! Rewrites `x IN (SELECT y ...)` as EXISTS. The engine handles nulls wrongly if such a test is negated, joined with OR, or correlated; its
//! EXISTS is right. The test is null, not false, if no `y` equals `x` but `x` or a `y` is null.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::error::Result;
use datafusion::functions::core::expr_fn::nullif;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::expr::{Exists, InSubquery};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, Filter, LogicalPlan, LogicalPlanBuilder, Operator, Projection, Subquery,
    lit, when,
};
use datafusion::optimizer::AnalyzerRule;

use super::correlated::join_subqueries;
use super::multisets::{self, is_all_operator};

#[derive(Debug)]
pub(super) struct Membership;

impl AnalyzerRule for Membership {
    fn name(&self) -> &'static str {
        "membership"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up_with_subqueries(rewrite_plan)?.data)
    }
}

fn rewrite_plan(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Filter(Filter { predicate, input, .. }) => {
            let columns = input.schema().columns();
            let filtered = |predicate, input: LogicalPlan| {
                let predicate = rewrite_in_filter(predicate, input.schema())?;
                Filter::try_new(predicate, Arc::new(input)).map(LogicalPlan::Filter)
            };
            Ok(Transformed::yes(match join_subqueries(&input, vec![predicate.clone()])? {
                Some((input, predicates)) => {
                    let predicate = predicates.into_iter().next().unwrap_or(predicate);
                    let rows = LogicalPlanBuilder::from(filtered(predicate, input)?);
                    rows.project(columns.into_iter().map(Expr::Column))?.build()?
                }
                None => filtered(predicate, Arc::unwrap_or_clone(input))?,
            }))
        }
        LogicalPlan::Projection(Projection { ref expr, ref input, .. }) => {
            let plan = match join_subqueries(input, expr.clone())? {
                Some((input, substituted)) => {
                    let names = NamePreserver::new(&plan);
                    let exprs = expr.iter().zip(substituted).map(|(old, new)| names.save(old).restore(new));
                    LogicalPlan::Projection(Projection::try_new(exprs.collect(), Arc::new(input))?)
                }
                None => plan,
            };
            let (schema, names) = (merge_schema(&plan.inputs()), NamePreserver::new(&plan));
            plan.map_expressions(|expr| {
                let name = names.save(&expr);
                let valued = expr.transform_up(|expr| rewrite_as_value(expr, &schema))?;
                let counted = valued.transform_data(|expr| expr.transform_up(count_existing_rows))?;
                let counted = counted.transform_data(|expr| expr.transform_up(null_without_a_row))?;
                Ok(counted.update_data(|expr| name.restore(expr)))
            })
        }
        LogicalPlan::Join(join) if is_all_operator(&join) => {
            Ok(Transformed::yes(multisets::join_numbered_rows(join)?))
        }
        plan => Ok(Transformed::no(plan)),
    }
}

/// Makes a scalar subquery without rows nullable: the engine considers only the nullability of its column.
fn null_without_a_row(expr: Expr) -> Result<Transformed<Expr>> {
    let Expr::ScalarSubquery(Subquery { subquery, outer_ref_columns, .. }) = &expr else {
        return Ok(Transformed::no(expr));
    };
    match subquery.schema().fields().first() {
        Some(field) if outer_ref_columns.is_empty() && !field.is_nullable() => {
            let null = ScalarValue::try_new_null(field.data_type())?;
            Ok(Transformed::yes(nullif(expr, lit(null))))
        }
        _ => Ok(Transformed::no(expr)),
    }
}

/// Rewrites a test in a filter, where null and false are equivalent.
fn rewrite_in_filter(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
            let (left, right) = (rewrite_in_filter(*left, schema)?, rewrite_in_filter(*right, schema)?);
            Ok(Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right))))
        }
        Expr::InSubquery(test) if !test.negated => MembershipTest::from_subquery(test, schema)?.is_in(),
        Expr::InSubquery(test) => MembershipTest::from_subquery(test, schema)?.is_not_in(),
        Expr::Not(inner) => match *inner {
            Expr::InSubquery(test) => {
                let negated = !test.negated;
                rewrite_in_filter(Expr::InSubquery(InSubquery { negated, ..test }), schema)
            }
            inner => Ok(!inner.transform_up(|expr| rewrite_as_value(expr, schema))?.data),
        },
        expr => Ok(expr.transform_up(|expr| rewrite_as_value(expr, schema))?.data),
    }
}

/// Rewrites a test in an expression where null and false differ.
fn rewrite_as_value(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match expr {
        Expr::InSubquery(test) => {
            let negated = test.negated;
            MembershipTest::from_subquery(test, schema)?.value(negated).map(Transformed::yes)
        }
        expr => Ok(Transformed::no(expr)),
    }
}

/// Rewrites EXISTS in the columns of a SELECT as a count, because the engine supports only scalar subqueries there.
fn count_existing_rows(expr: Expr) -> Result<Transformed<Expr>> {
    let Expr::Exists(Exists { subquery, negated }) = expr else { return Ok(Transformed::no(expr)) };
    let rows = LogicalPlanBuilder::from(Arc::unwrap_or_clone(subquery.subquery));
    let rows = rows.aggregate(Vec::<Expr>::new(), vec![count(lit(1_i64))])?.build()?;
    let rows = Expr::ScalarSubquery(Subquery { subquery: Arc::new(rows), ..subquery });
    Ok(Transformed::yes(if negated { rows.eq(lit(0_i64)) } else { rows.gt(lit(0_i64)) }))
}

/// The parts of a test `x IN (SELECT y ...)`.
struct MembershipTest {
    x: Expr,
    y: Expr,
    /// The value `x` as the subquery refers to it.
    outer: Expr,
    /// The columns of `x`, as the subquery refers to them.
    outer_columns: Vec<Expr>,
    subquery: Subquery,
    /// True if `x` may be null, and true if `y` may be null.
    may_be_null: (bool, bool),
}

impl MembershipTest {
    fn from_subquery(InSubquery { expr: x, subquery, .. }: InSubquery, schema: &DFSchema) -> Result<Self> {
        let mut outer_columns = Vec::new();
        let outer = x.as_ref().clone().transform_up(|expr| match expr {
            Expr::Column(column) => {
                let field = schema.qualified_field_from_column(&column)?.1;
                let column = Expr::OuterReferenceColumn(Arc::clone(field), column);
                outer_columns.push(column.clone());
                Ok(Transformed::yes(column))
            }
            expr => Ok(Transformed::no(expr)),
        })?;
        let (table, field) = subquery.subquery.schema().qualified_field(0);
        let may_be_null = (x.nullable(schema)?, field.is_nullable());
        let y = Expr::Column(Column::new(table.cloned(), field.name()));
        Ok(Self { x: *x, y, outer: outer.data, outer_columns, subquery, may_be_null })
    }

    /// Returns EXISTS over the rows of the subquery that pass a test; over all rows if there is no test.
    fn exists(&self, test: Option<Expr>) -> Result<Expr> {
        let rows = LogicalPlanBuilder::from(self.subquery.subquery.as_ref().clone());
        let rows = match test {
            Some(test) => rows.filter(test)?,
            None if self.subquery.outer_ref_columns.is_empty() => rows.limit(0, Some(1))?,
            None => rows,
        };
        let outer_ref_columns =
            self.subquery.outer_ref_columns.iter().chain(&self.outer_columns).cloned().collect();
        let subquery =
            Subquery { subquery: Arc::new(rows.build()?), outer_ref_columns, ..self.subquery.clone() };
        Ok(Expr::Exists(Exists { subquery, negated: false }))
    }

    /// Returns the condition that a `y` equals `x`.
    fn is_in(&self) -> Result<Expr> {
        self.exists(Some(self.y.clone().eq(self.outer.clone())))
    }

    /// Returns the conditions under which a test that finds no `y` equal to `x` is null.
    fn null_conditions(&self) -> Result<Vec<Expr>> {
        let mut conditions = Vec::new();
        if self.may_be_null.1 {
            conditions.push(self.exists(Some(self.y.clone().is_null()))?);
        }
        if self.may_be_null.0 {
            conditions.push(self.x.clone().is_null().and(self.exists(None)?));
        }
        Ok(conditions)
    }

    /// Returns the condition that `x` is not in the subquery.
    fn is_not_in(&self) -> Result<Expr> {
        let null_conditions = self.null_conditions()?;
        Ok(null_conditions.into_iter().fold(!self.is_in()?, |all, condition| all.and(!condition)))
    }

    /// Returns the value of the test, which may be null.
    fn value(&self, negated: bool) -> Result<Expr> {
        let is_in = self.is_in()?;
        let value = if negated { !is_in } else { is_in };
        let Some(is_null) = self.null_conditions()?.into_iter().reduce(Expr::or) else { return Ok(value) };
        let null_or_default = when(is_null, lit(ScalarValue::Boolean(None))).otherwise(lit(negated))?;
        Ok(if negated { value.and(null_or_default) } else { value.or(null_or_default) })
    }
}
