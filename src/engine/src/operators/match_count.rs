//! Counts the rows that match before a limit cuts them, while a plan runs. A sort reads all rows in any case, so that counting costs one
//! addition per batch.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;

use super::join_keys::KeyRecorder;
use super::matched_rows::MatchedRows;
use super::observed_plan::{ObservedPlan, RowObserver};
use super::replace_inputs::{replace_input, replace_inputs};
use super::top_rows::TopRows;

/// A plan, and the count that it writes; `None` if no node in it sees all rows.
pub(crate) type CountedPlan = (Arc<dyn ExecutionPlan>, Option<Arc<MatchedRows>>);

/// Adds a count to a plan; `None` if no node in it sees all rows.
pub(crate) fn count_matches(plan: Arc<dyn ExecutionPlan>) -> Result<CountedPlan> {
    let matched = Arc::new(MatchedRows::default());
    Ok(match add_count_below_sort(&plan, &matched)? {
        Some(plan) => (plan, Some(matched)),
        None => (plan, None),
    })
}

/// Adds a count below the sort of a plan if all nodes above the sort preserve every row. If the first rows are selected before a join, the
/// count is below the sort that selects them. `None` if no count can be added.
fn add_count_below_sort(
    node: &Arc<dyn ExecutionPlan>,
    matched: &Arc<MatchedRows>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(top) = node.downcast_ref::<TopRows>() {
        return Ok(top.reads_all_rows().then(|| Arc::new(top.with_match_count(matched)) as _));
    }
    let Some(input) = node.children().first().copied().cloned() else { return Ok(None) };
    let counting = if node.is::<SortExec>() {
        let below_join = count_before_join(&input, node.fetch(), matched)?;
        Some(below_join.unwrap_or_else(|| ObservedPlan::observing(input, CountRows(Arc::clone(matched)))))
    } else if node.is::<ProjectionExec>()
        || node.is::<CooperativeExec>()
        || node.is::<ObservedPlan<KeyRecorder>>()
    {
        add_count_below_sort(&input, matched)?
    } else {
        None
    };
    counting.map(|input| replace_input(node, input)).transpose()
}

/// Adds a count below a join whose first side has only the first rows.
fn count_before_join(
    node: &Arc<dyn ExecutionPlan>,
    fetch: Option<usize>,
    matched: &Arc<MatchedRows>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(join) = node.downcast_ref::<HashJoinExec>() {
        let has_first_rows = fetch.is_some() && join.left.fetch() == fetch;
        let first = if has_first_rows { add_count_below_sort(&join.left, matched)? } else { None };
        let sides = first.map(|first| vec![first, Arc::clone(&join.right)]);
        return sides.map(|sides| replace_inputs(node, sides)).transpose();
    }
    if !node.is::<ProjectionExec>() && !node.is::<CooperativeExec>() {
        return Ok(None);
    }
    let Some(input) = node.children().first().copied().cloned() else { return Ok(None) };
    count_before_join(&input, fetch, matched)?.map(|input| replace_input(node, input)).transpose()
}

#[derive(Debug, Clone)]
struct CountRows(Arc<MatchedRows>);

impl RowObserver for CountRows {
    const NAME: &'static str = "Counted";
    type Run = Arc<MatchedRows>;

    fn start(&self) -> Arc<MatchedRows> {
        self.0.set(0);
        Arc::clone(&self.0)
    }

    fn after(run: &mut Arc<MatchedRows>, batch: &RecordBatch) {
        run.add(batch.num_rows());
    }
}
