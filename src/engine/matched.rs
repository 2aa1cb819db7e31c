//! How many rows match before a limit cuts them, counted while a plan runs: a sort has to see them all in any case, so that
//! the number costs an addition for each batch.
//!
//! A plan that stops at its limit without a sort does not see them all; there is no count of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::execution_plan::ChildrenPropertiesMode;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{ExecutionPlan, ReplaceChildrenOptions};

use super::top_rows::TopRows;
use super::watched::{Watch, Watched};

/// The rows that the last run of a plan has seen below its sort.
#[derive(Debug, Default)]
pub(super) struct Matched(AtomicUsize);

impl Matched {
    /// How many they are, once a row has come out of the sort.
    pub(super) fn rows(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// They are this many.
    pub(super) fn set(&self, rows: usize) {
        self.0.store(rows, Ordering::Relaxed);
    }
}

/// A plan, and its count where something in it sees all rows.
type Counting = (Arc<dyn ExecutionPlan>, Option<Arc<Matched>>);

/// A plan that counts, and its count; none where nothing in it sees all rows.
pub(super) fn counted(plan: Arc<dyn ExecutionPlan>) -> Result<Counting> {
    let matched = Arc::new(Matched::default());
    Ok(match below(&plan, &matched)? {
        Some(plan) => (plan, Some(matched)),
        None => (plan, None),
    })
}

/// The plan with a count under its sort, if nothing but nodes that keep every row stand above that.
fn below(node: &Arc<dyn ExecutionPlan>, matched: &Arc<Matched>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(top) = node.downcast_ref::<TopRows>() {
        return Ok(top.sorts().then(|| Arc::new(top.counting(matched)) as _));
    }
    let Some(input) = node.children().first().copied().cloned() else { return Ok(None) };
    let counting = if node.is::<SortExec>() {
        Some(Watched::over(input, Count(Arc::clone(matched))))
    } else if node.is::<ProjectionExec>() || node.is::<CooperativeExec>() {
        below(&input, matched)?
    } else {
        None
    };
    counting.map(|input| with_input(node, input)).transpose()
}

fn with_input(
    node: &Arc<dyn ExecutionPlan>,
    input: Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    Arc::clone(node).replace_children(vec![input], options)
}

/// Counts the rows of each run.
#[derive(Debug, Clone)]
struct Count(Arc<Matched>);

impl Watch for Count {
    const NAME: &'static str = "Counted";
    type Run = Arc<Matched>;

    fn start(&self) -> Arc<Matched> {
        self.0.set(0);
        Arc::clone(&self.0)
    }

    fn after(run: &mut Arc<Matched>, batch: &RecordBatch) {
        run.0.fetch_add(batch.num_rows(), Ordering::Relaxed);
    }
}
