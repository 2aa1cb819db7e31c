//! `ON a.x IS NOT DISTINCT FROM b.x WHERE a.y = b.y`: the engine takes both for keys of one join, and nulls of `y` would be equal too. Here
//! a join whose nulls are equal takes no more keys; what else it compares stays a filter.

use std::sync::Arc;

use datafusion::common::NullEquality;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{Optimizer, OptimizerConfig, OptimizerRule};

/// The engine's rules that add keys to joins: the first looks at each node, the second at a whole plan.
const ADDING: [&str; 2] = ["extract_equijoin_predicate", "eliminate_cross_join"];

/// One of them, but for joins whose nulls are equal.
#[derive(Debug)]
struct KeysOfOneKind(Arc<dyn OptimizerRule + Send + Sync>);

impl OptimizerRule for KeysOfOneKind {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let is_whole = self.apply_order().is_none();
        let finds_nulls =
            if is_whole { plan.exists(|node| Ok(joins_nulls(node)))? } else { joins_nulls(&plan) };
        if finds_nulls { Ok(Transformed::no(plan)) } else { self.0.rewrite(plan, config) }
    }
}

fn joins_nulls(node: &LogicalPlan) -> bool {
    matches!(node, LogicalPlan::Join(join) if join.null_equality == NullEquality::NullEqualsNull)
}

/// Puts such rules in the place of the engine's.
pub(super) fn told_apart(optimizer: &mut Optimizer) {
    for rule in optimizer.rules.iter_mut().filter(|rule| ADDING.contains(&rule.name())) {
        *rule = Arc::new(KeysOfOneKind(Arc::clone(rule)));
    }
}
