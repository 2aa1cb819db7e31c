//! Calls whose work is their caller's own: a SELECT that the caller wrote. They run in processes of their own, owners taking turns, and cost
//! what they take of the processor.

use std::sync::Arc;

use super::Service;
use super::admitted::Call;
use super::answering::Answering;
use super::fair_queue::{FairQueue, QueueLimits};
use super::processor_time::ProcessorTime;
use super::queue_figures::QueueFigures;
use parquote_catalogue::error::ClientError;
use parquote_engine::Encoded;
use parquote_handlers::most_cost_of_work;
use parquote_select_process::{ProcessFigures, SelectProcesses};

/// The processes of such calls, and who may have one next.
#[derive(Debug, Clone)]
pub(super) struct OwnWork {
    processes: Arc<SelectProcesses>,
    queue: Arc<FairQueue>,
}

impl OwnWork {
    /// At most so many processes at once; 0 for half of the cores, 2 to 8. One owner leaves half of them to others.
    fn new(processes: Arc<SelectProcesses>, most: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most = if most == 0 { (cores / 2).clamp(2, 8) } else { most };
        let queue = FairQueue::new(QueueLimits {
            running: most,
            running_per_key: most.div_ceil(2),
            waiting_per_key: 4,
            waiting: 32,
        });
        Self { processes, queue }
    }

    pub(super) fn processes(&self) -> Arc<SelectProcesses> {
        Arc::clone(&self.processes)
    }

    /// The queue and the number of processes at this moment.
    pub(super) fn figures(&self) -> (QueueFigures, ProcessFigures) {
        (self.queue.figures(), self.processes.figures())
    }
}

impl Service {
    /// The same service with processes for such calls, at most so many at once; 0 for half of the cores.
    #[must_use]
    pub fn with_select_processes(self, processes: Arc<SelectProcesses>, most: usize) -> Self {
        Self { own_work: Some(OwnWork::new(processes, most)), ..self }
    }

    /// The number of processes that were started and killed for SELECTs of callers.
    pub fn select_processes(&self) -> Option<ProcessFigures> {
        self.own_work.as_ref().map(|own| own.figures().1)
    }

    /// Answers a call whose work is its caller's own.
    pub(super) async fn own_work(&self, call: &Call, answering: Answering) -> Result<Encoded, ClientError> {
        self.charged(call, answering.spent.clone(), answering.answer()).await
    }

    /// Does work in its owner's turn; its owner pays for the time that it took.
    async fn charged<T>(
        &self,
        call: &Call,
        spent: ProcessorTime,
        work: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T, ClientError> {
        let _held = match &call.payer {
            Some(payer) => Some(payer.hold(most_cost_of_work(call.caller.tier()), &spent).await?),
            None => None,
        };
        let _place = match &self.own_work {
            Some(own) => Some(own.queue.enter(call.caller.owner_number()).await?),
            None => None,
        };
        work.await
    }
}
