//! A SELECT of an operation, parsed once, with placeholders that are bound early or late, and with its row limit.
//!
//! The *shape* of a call (which parameters are null, which words are chosen) picks a plan, so that null branches and choices fold away
//! during planning. Limit and page are not part of it: they are applied to the plan's output. A *generic* plan leaves open which optional
//! parameters are null: with a dozen conditions a screen has thousands of shapes, and making a plan takes ten times as long as running it.

use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, FieldRef, SchemaRef};
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::execution::context::SessionState;
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, Limit, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::physical_plan::ExecutionPlan;

use super::slot::Slot;
use crate::operators::fold_constants::fold_constants;
use crate::operators::matched_rows::MatchedRows;
use crate::operators::memory_plan::optimize_in_memory;
use crate::tables::market_tables::MarketTables;
use crate::tables::parsed_plan::ParsedPlan;
use parquote_catalogue::operation::{
    Arguments, Operation, Param, ParamType, Select, Value, ValueLimits, WantedRows, placeholders,
};
use parquote_functions::arrow_types::{param_type, scalar};

/// A parsed SELECT with its placeholders.
#[derive(Debug)]
pub(crate) struct Template {
    parsed: ParsedPlan,
    limit: Option<RowLimit>,
    /// Position of the param that pages through the rows.
    page: Option<usize>,
    /// Positions of the params that pick a plan: those that the SELECT uses, except limit and page.
    params: Vec<usize>,
}

/// The shapes that a plan serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlanKind {
    /// One shape: chosen words and null parameters are constants.
    Custom,
    /// All shapes with the same words: optional parameters are bound late, null or not.
    Generic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RowLimit {
    /// Position of the param that sets it; `None` if the SELECT has a number.
    param: Option<usize>,
    /// The greatest number of rows.
    most: usize,
}

/// Maximum number of rows of an answer without a limit.
const MOST_ROWS: usize = 100_000;

/// Numbers of rows to skip and to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowWindow {
    pub skip: usize,
    pub take: usize,
}

/// A physical plan and the slots that it reads, by position of their param.
pub(crate) struct PlannedSelect {
    pub plan: Arc<dyn ExecutionPlan>,
    /// Receives the number of matching rows; `None` if no node of the plan sees them all.
    pub matched: Option<Arc<MatchedRows>>,
    pub slots: Vec<(usize, Arc<Slot>)>,
}

impl Template {
    /// Parses a SELECT, without the columns that the operation omits from the answer.
    ///
    /// # Errors
    /// An error of the planner, or a violated rule in words.
    pub(crate) async fn parse(state: &SessionState, operation: &Operation, select: &Select) -> Result<Self> {
        let plan = state.create_logical_plan(&select.sql).await?;
        if matches!(
            plan,
            LogicalPlan::Ddl(_) | LogicalPlan::Dml(_) | LogicalPlan::Copy(_) | LogicalPlan::Statement(_)
        ) {
            return datafusion::common::plan_err!("an operation is a SELECT");
        }
        let position = |name: &str| operation.params.iter().position(|param| param.name == name);
        let used_params = placeholders(&select.sql).into_iter().filter_map(position).collect();
        let LogicalPlan::Limit(limit) = &plan else {
            return Self::new(omit_columns(plan, &select.omit)?, None, None, used_params);
        };
        let unlimited = omit_columns(limit.input.as_ref().clone(), &select.omit)?;
        let id = match row_limit(limit, operation) {
            Some(Expr::Placeholder(Placeholder { id, .. })) => id,
            Some(Expr::Literal(ScalarValue::Int64(Some(most)), _)) if limit.skip.is_none() => {
                let most = usize::try_from(*most).unwrap_or_default();
                return Self::new(unlimited, Some(RowLimit { param: None, most }), None, used_params);
            }
            _ => return Self::new(omit_columns(plan, &select.omit)?, None, None, used_params),
        };
        let name = id.trim_start_matches('$').to_owned();
        let page = match limit.skip.as_deref() {
            None | Some(Expr::Literal(ScalarValue::Int64(Some(0)), _)) => None,
            Some(skip) if *skip.to_string() == paging_offset(id).to_string() => position("page"),
            Some(skip) => {
                return datafusion::common::plan_err!(
                    "an operation pages by `OFFSET ($page - 1) * {id}`, not by `{skip}`"
                );
            }
        };
        let limit_of_param =
            |at| Some(RowLimit { param: Some(at), most: operation.params.get(at)?.maximum()? as usize });
        let Some(limit_by_param) = position(&name).and_then(limit_of_param) else {
            return datafusion::common::plan_err!(
                "`{name}` limits the rows, so it has a largest value: `in 1..N` or a cap"
            );
        };
        Self::new(unlimited, Some(limit_by_param), page, used_params)
    }

    fn new(
        plan: LogicalPlan,
        limit: Option<RowLimit>,
        page: Option<usize>,
        mut params: Vec<usize>,
    ) -> Result<Self> {
        params.retain(|position| {
            page != Some(*position) && limit.and_then(|limit| limit.param) != Some(*position)
        });
        Ok(Self { parsed: ParsedPlan::from_plan(plan)?, limit, page, params })
    }

    /// Returns the params that pick a plan, with their arguments.
    fn plan_params<'a>(
        &'a self,
        operation: &'a Operation,
        arguments: &'a Arguments,
    ) -> impl Iterator<Item = (&'a Param, Option<&'a Value>)> {
        let pick = |position: &usize| {
            Some((operation.params.get(*position)?, arguments.values().get(*position)?.as_ref()))
        };
        self.params.iter().filter_map(pick)
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        self.parsed.schema().inner()
    }

    /// Returns the part of the arguments that picks the plan; skipping rows, or going beyond the limit, needs
    /// another plan than starting at the first row.
    pub(crate) fn shape(
        &self,
        operation: &Operation,
        arguments: &Arguments,
        (window, kind): (RowWindow, PlanKind),
    ) -> String {
        let mut shape = String::new();
        if kind == PlanKind::Generic {
            shape.push('*');
        }
        for (param, value) in self.plan_params(operation, arguments) {
            match value {
                None if kind == PlanKind::Generic && may_be_null(param) => shape.push('?'),
                None => shape.push('-'),
                Some(value) if is_part_of_plan(param) => value.write(&mut shape),
                Some(_) => shape.push('?'),
            }
            shape.push('\u{1f}');
        }
        // Rows are skipped, or more rows are wanted than the limit ever allows.
        if window.skip > 0 || self.limit.is_some_and(|limit| window.take > limit.most) {
            shape.push('>');
        }
        shape
    }

    /// Returns true if a plan for several shapes can serve these arguments: at least one of them is null, and its parameter can be bound late.
    pub(crate) fn has_generic_plan(&self, operation: &Operation, arguments: &Arguments) -> bool {
        self.plan_params(operation, arguments).any(|(param, value)| value.is_none() && may_be_null(param))
    }

    /// Returns the window of rows that the arguments request, from an offset if there is one; or all rows, unless the SELECT itself has a
    /// number as its limit.
    pub(crate) fn window(&self, arguments: &Arguments, wanted: WantedRows) -> RowWindow {
        let offset = match (wanted, self.limit) {
            (WantedRows::After(offset), _) => offset,
            (WantedRows::All, Some(RowLimit { param: None, most })) => {
                return RowWindow { skip: 0, take: most };
            }
            (WantedRows::All, _) => return RowWindow { skip: 0, take: MOST_ROWS },
        };
        let int = |position: usize| match arguments.values().get(position) {
            Some(Some(Value::Int(number))) => usize::try_from(*number).ok(),
            _ => None,
        };
        let take =
            self.limit.map_or(usize::MAX, |RowLimit { param, most }| param.and_then(int).unwrap_or(most));
        let page = self.page.and_then(int).unwrap_or(1);
        // An offset takes precedence over a page, so that the rows after a page are requested with the same page.
        let skip = if offset > 0 { offset } else { page.saturating_sub(1).saturating_mul(take) };
        RowWindow { skip, take }
    }

    /// Plans the shape of these arguments over the tables of a snapshot, with slots for late-bound values.
    pub(crate) async fn plan_shape(
        &self,
        tables: &MarketTables,
        operation: &Operation,
        arguments: &Arguments,
        (window, kind): (RowWindow, PlanKind),
    ) -> Result<PlannedSelect> {
        let is_nullable = |param: &Param| kind == PlanKind::Generic && may_be_null(param);
        let state: &SessionState = &tables.state;
        let plan = tables.plan(&self.parsed)?;
        let bounded = match self.limit {
            // Later pages skip the rows before them, so their plan cannot stop early. One row more than is ever returned shows if others
            // follow.
            Some(RowLimit { most, .. }) if window.skip == 0 && window.take <= most => {
                LogicalPlan::Limit(Limit {
                    skip: None,
                    fetch: Some(Box::new(lit(most as i64 + 1))),
                    input: Arc::new(plan),
                })
            }
            _ => plan,
        };
        let folded = replace(bounded, |placeholder| {
            let Some((_, param, value)) = find(operation, arguments, placeholder) else {
                return typed_null(operation.unset.iter().find(|param| names_param(placeholder, param))?);
            };
            Some(match value {
                None if !is_nullable(param) => typed_null(param)?,
                Some(value) if is_part_of_plan(param) => Expr::Literal(scalar(value), None),
                _ => {
                    let field = parameter_field(param, is_nullable(param));
                    Expr::Placeholder(Placeholder::new_with_field(placeholder.id.clone(), Some(field)))
                }
            })
        })?;
        let optimized = state.optimize(&rewrite(folded, fold_constants)?)?;
        let mut slots: Vec<(usize, Arc<Slot>)> = Vec::new();
        let slotted = replace(optimized, |placeholder| {
            let (position, param, value) = find(operation, arguments, placeholder)?;
            if let Some((_, slot)) = slots.iter().find(|(other, _)| *other == position) {
                return Some(slot.expr());
            }
            let slot = Slot::new(&param.name, param_type(param.ty), is_nullable(param));
            slot.set(value.map(scalar));
            let expr = slot.expr();
            slots.push((position, slot));
            Some(expr)
        })?;
        let plan = state.query_planner().create_physical_plan(&slotted, state).await?;
        let (plan, matched) = optimize_in_memory(plan)?;
        Ok(PlannedSelect { plan, matched, slots })
    }
}

/// Returns true if the values of a param become part of the plan: flags, and words of a choice.
fn is_part_of_plan(param: &Param) -> bool {
    param.ty == ParamType::Bool || matches!(param.limits, ValueLimits::Words(_))
}

/// Returns true if a generic plan binds the value of a param late, null or not.
fn may_be_null(param: &Param) -> bool {
    param.optional && !is_part_of_plan(param)
}

/// Returns the field of a late-bound value for the planner: non-nullable if null is another shape, so that `$x IS NULL OR ...` folds away.
fn parameter_field(param: &Param, is_nullable: bool) -> FieldRef {
    Arc::new(Field::new(&param.name, param_type(param.ty), is_nullable))
}

/// Returns the only OFFSET that an operation may have: the rows before its page.
fn paging_offset(limit: &str) -> Expr {
    let placeholder = |id: &str| Expr::Placeholder(Placeholder::new_with_field(id.to_owned(), None));
    (placeholder("$page") - lit(1_i64)) * placeholder(limit)
}

fn names_param(placeholder: &Placeholder, param: &Param) -> bool {
    placeholder.id.trim_start_matches('$') == param.name
}

/// Returns a null of a param's type.
fn typed_null(param: &Param) -> Option<Expr> {
    Some(Expr::Literal(ScalarValue::try_from(&param_type(param.ty)).ok()?, None))
}

/// Returns the expression of a LIMIT. For `COALESCE($limit, 10000)` that is the placeholder, or the number if the operation has no such
/// param.
fn row_limit<'a>(limit: &'a Limit, operation: &Operation) -> Option<&'a Expr> {
    let is_param = |expr: &&Expr| match expr {
        Expr::Placeholder(placeholder) => {
            operation.params.iter().any(|param| names_param(placeholder, param))
        }
        _ => false,
    };
    match limit.fetch.as_deref()? {
        Expr::ScalarFunction(call) if call.name() == "coalesce" => {
            call.args.iter().find(is_param).or(call.args.last())
        }
        fetch => Some(fetch),
    }
}

/// Returns a plan without these columns.
fn omit_columns(plan: LogicalPlan, omitted: &[String]) -> Result<LogicalPlan> {
    let columns = plan.schema().columns();
    if let Some(unknown) = omitted.iter().find(|name| columns.iter().all(|column| column.name != **name)) {
        return datafusion::common::plan_err!("`omit: {unknown}`: the SELECT has no such column");
    }
    if omitted.is_empty() {
        return Ok(plan);
    }
    let rest = columns.into_iter().filter(|column| !omitted.contains(&column.name)).map(Expr::Column);
    LogicalPlanBuilder::from(plan).project(rest)?.build()
}

fn find<'a>(
    operation: &'a Operation,
    arguments: &'a Arguments,
    placeholder: &Placeholder,
) -> Option<(usize, &'a Param, Option<&'a Value>)> {
    let position = operation.params.iter().position(|param| names_param(placeholder, param))?;
    Some((position, operation.params.get(position)?, arguments.values().get(position)?.as_ref()))
}

/// Replaces placeholders in a whole plan.
fn replace(
    plan: LogicalPlan,
    mut replacement: impl FnMut(&Placeholder) -> Option<Expr>,
) -> Result<LogicalPlan> {
    rewrite(plan, |expr| {
        expr.transform_up(|expr| {
            Ok(match &expr {
                Expr::Placeholder(placeholder) => match replacement(placeholder) {
                    Some(replacement) => Transformed::yes(replacement),
                    None => Transformed::no(expr),
                },
                _ => Transformed::no(expr),
            })
        })
    })
}

/// Rewrites every expression of a plan, including subqueries; columns retain their names.
fn rewrite(
    plan: LogicalPlan,
    mut replacement: impl FnMut(Expr) -> Result<Transformed<Expr>>,
) -> Result<LogicalPlan> {
    let plan = plan.transform_up_with_subqueries(|plan| {
        let names = NamePreserver::new(&plan);
        plan.map_expressions(|expr| {
            let name = names.save(&expr);
            Ok(replacement(expr)?.update_data(|expr| name.restore(expr)))
        })
    })?;
    plan.data.recompute_schema()
}
