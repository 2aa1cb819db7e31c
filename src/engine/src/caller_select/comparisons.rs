//! `ON a.x = b.x AND 3 = a.x`: the engine infers `3 = b.x`, turns it into `b.x = 3`, infers it again, and takes the two for a
//! contradiction, so that nothing matches; the same conditions of an inner join end up in a filter. Here the column is put before the
//! value. For the same reason the two zeros of floats become one: `x = 0.0 AND x = -0.0` is not a contradiction.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan, lit};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{Optimizer, OptimizerConfig, OptimizerRule};

/// The engine's rule that infers conditions on one side of a join from those on the other.
const INFERENCE_RULE: &str = "push_down_filter";

/// Normalizes comparisons in filters and joins.
#[derive(Debug)]
struct ComparisonNormalizer;

impl OptimizerRule for ComparisonNormalizer {
    fn name(&self) -> &'static str {
        "comparisons_in_one_form"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(&self, plan: LogicalPlan, _: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let is_filtered = match &plan {
            LogicalPlan::Join(join) => join.filter.is_some(),
            LogicalPlan::Filter(_) => true,
            _ => false,
        };
        if !is_filtered {
            return Ok(Transformed::no(plan));
        }
        plan.map_expressions(|condition| condition.transform_up(|part| Ok(put_literal_right(part))))
    }
}

/// Puts the literal of a comparison on the right, and replaces negative zero.
fn put_literal_right(part: Expr) -> Transformed<Expr> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = part else { return Transformed::no(part) };
    let swapped = op.swap().filter(|_| left.as_literal().is_some() && right.as_literal().is_none());
    let (left, op, right, is_swapped) = match swapped {
        Some(swapped) => (right, swapped, left, true),
        None => (left, op, right, false),
    };
    let is_zero = |value: &ScalarValue| matches!(value, ScalarValue::Float64(Some(zero)) if *zero == 0.0 && zero.is_sign_negative());
    let has_zero = op.swap().is_some() && right.as_literal().is_some_and(is_zero);
    let right = if has_zero { Box::new(lit(0.0)) } else { right };
    let part = Expr::BinaryExpr(BinaryExpr { left, op, right });
    if is_swapped || has_zero { Transformed::yes(part) } else { Transformed::no(part) }
}

/// Inserts the rule before the engine's inference rule.
pub(super) fn insert_rule(optimizer: &mut Optimizer) {
    let at = optimizer.rules.iter().position(|rule| rule.name() == INFERENCE_RULE);
    optimizer.rules.insert(at.unwrap_or_default(), Arc::new(ComparisonNormalizer));
}
