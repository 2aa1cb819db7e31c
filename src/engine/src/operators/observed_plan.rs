//! A plan node that passes rows through and observes them: [`super::time_guard`] and [`super::match_count`] use it.

use std::fmt::{self, Debug};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{RecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, SendableRecordBatchStream,
};
use futures::Stream;

/// Observer of a plan's rows; clones share their state.
pub(crate) trait RowObserver: Debug + Clone + Send + Sync + 'static {
    /// The name of the node in a printed plan.
    const NAME: &'static str;

    /// State of one run.
    type Run: Send + Unpin;

    /// Called when a run starts.
    fn start(&self) -> Self::Run;

    /// Called before the next batch is polled; a returned `Some` replaces that poll.
    fn before(_run: &mut Self::Run, _context: &mut Context<'_>) -> Option<Poll<Result<RecordBatch>>> {
        None
    }

    /// Called after each batch.
    fn after(_run: &mut Self::Run, _batch: &RecordBatch) {}

    /// Called when the input has ended.
    fn end(_run: &mut Self::Run) {}
}

/// A node that observes the rows of its input.
#[derive(Debug)]
pub(crate) struct ObservedPlan<W> {
    input: Arc<dyn ExecutionPlan>,
    observer: W,
}

impl<W: RowObserver> ObservedPlan<W> {
    pub(crate) fn observing(input: Arc<dyn ExecutionPlan>, observer: W) -> Arc<dyn ExecutionPlan> {
        Arc::new(Self { input, observer })
    }
}

impl<W: RowObserver> DisplayAs for ObservedPlan<W> {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(W::NAME)
    }
}

impl<W: RowObserver> ExecutionPlan for ObservedPlan<W> {
    fn name(&self) -> &'static str {
        W::NAME
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.into_iter().next() {
            Some(input) => Ok(Self::observing(input, self.observer.clone())),
            None => Ok(self),
        }
    }

    fn fetch(&self) -> Option<usize> {
        self.input.fetch()
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context)?;
        Ok(Box::pin(ObservedRows::<W> { input, run: self.observer.start() }))
    }
}

struct ObservedRows<W: RowObserver> {
    input: SendableRecordBatchStream,
    run: W::Run,
}

impl<W: RowObserver> Stream for ObservedRows<W> {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(instead) = W::before(&mut self.run, context) {
            return instead.map(Some);
        }
        let poll = self.input.as_mut().poll_next(context);
        match &poll {
            Poll::Ready(Some(Ok(batch))) => W::after(&mut self.run, batch),
            Poll::Ready(None) => W::end(&mut self.run),
            _ => {}
        }
        poll
    }
}

impl<W: RowObserver> RecordBatchStream for ObservedRows<W> {
    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }
}
