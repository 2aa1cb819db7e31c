//! `ON a.x IS NOT DISTINCT FROM b.x WHERE a.y = b.y`: the engine makes both keys of one join, so that nulls of `y` would be equal too. Here
//! a join with equal nulls gets no more keys; its other comparisons remain filters.

use std::sync::Arc;

use datafusion::common::NullEquality;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{Optimizer, OptimizerConfig, OptimizerRule};

/// The engine's rules that add keys to joins: the first rewrites each node, the second a whole plan.
const KEY_ADDING_RULES: [&str; 2] = ["extract_equijoin_predicate", "eliminate_cross_join"];

/// Wraps one of these rules, and skips joins in which nulls are equal.
#[derive(Debug)]
struct SkipNullJoins(Arc<dyn OptimizerRule + Send + Sync>);

impl OptimizerRule for SkipNullJoins {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let rewrites_whole_plan = self.apply_order().is_none();
        let has_null_join =
            if rewrites_whole_plan { plan.exists(|node| Ok(joins_nulls(node)))? } else { joins_nulls(&plan) };
        if has_null_join { Ok(Transformed::no(plan)) } else { self.0.rewrite(plan, config) }
    }
}

fn joins_nulls(node: &LogicalPlan) -> bool {
    matches!(node, LogicalPlan::Join(join) if join.null_equality == NullEquality::NullEqualsNull)
}

/// Wraps the key-adding rules of an optimizer.
pub(super) fn keep_nulls_apart(optimizer: &mut Optimizer) {
    for rule in optimizer.rules.iter_mut().filter(|rule| KEY_ADDING_RULES.contains(&rule.name())) {
        *rule = Arc::new(SkipNullJoins(Arc::clone(rule)));
    }
}
