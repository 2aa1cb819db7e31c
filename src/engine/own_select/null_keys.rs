//! `ON a.x IS NOT DISTINCT FROM b.x WHERE a.y = b.y`: the engine takes both for keys of one join, and nulls of `y` would be equal too. Here
//! a join whose nulls are equal takes no more keys; what else it compares stays a filter.

use std::sync::Arc;

use datafusion::common::NullEquality;
use datafusion::common::tree_node::Transformed;
use datafusion::error::Result;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::extract_equijoin_predicate::ExtractEquijoinPredicate;
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{Optimizer, OptimizerConfig, OptimizerRule};

/// The engine's rule, which makes keys of filters, but for such joins.
#[derive(Debug, Default)]
struct KeysOfOneKind(ExtractEquijoinPredicate);

impl OptimizerRule for KeysOfOneKind {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        match &plan {
            LogicalPlan::Join(join) if join.null_equality == NullEquality::NullEqualsNull => {
                Ok(Transformed::no(plan))
            }
            _ => self.0.rewrite(plan, config),
        }
    }
}

/// Puts the rule in the place of the engine's.
pub(super) fn told_apart(optimizer: &mut Optimizer) {
    let own = KeysOfOneKind::default();
    for rule in optimizer.rules.iter_mut().filter(|rule| rule.name() == own.name()) {
        *rule = Arc::new(KeysOfOneKind::default());
    }
}
