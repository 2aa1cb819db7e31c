//! User-written SELECTs, whose work is charged to their caller. They run in separate processes, for which owners take turns, and cost the
//! processor time that they use.

use std::sync::Arc;

use super::Service;
use super::admitted::Call;
use super::answering::Answering;
use super::fair_queue::{FairQueue, QueueLimits};
use super::processor_time::ProcessorTime;
use super::queue_figures::QueueFigures;
use parquote_catalogue::error::ClientError;
use parquote_engine::EncodedAnswer;
use parquote_handlers::most_cost_of_work;
use parquote_select_process::{ProcessFigures, SelectProcesses};

/// The processes of such calls, and their queue.
#[derive(Debug, Clone)]
pub(super) struct SelectQueue {
    processes: Arc<SelectProcesses>,
    queue: Arc<FairQueue>,
}

impl SelectQueue {
    /// Builds the queue: `most` processes at once, 0 for half of the cores, 2 to 8. One owner leaves half of them to others.
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

    /// Returns the current figures of the queue and of the processes.
    pub(super) fn figures(&self) -> (QueueFigures, ProcessFigures) {
        (self.queue.figures(), self.processes.figures())
    }
}

impl Service {
    /// Returns the service with at most `most` processes for such calls; 0 for half of the cores.
    #[must_use]
    pub fn with_select_processes(self, processes: Arc<SelectProcesses>, most: usize) -> Self {
        Self { own_work: Some(SelectQueue::new(processes, most)), ..self }
    }

    /// Returns the numbers of processes started and killed for user-written SELECTs.
    pub fn select_processes(&self) -> Option<ProcessFigures> {
        self.own_work.as_ref().map(|own| own.figures().1)
    }

    /// Answers a call whose work is charged to its caller.
    pub(super) async fn own_work(
        &self,
        call: &Call,
        answering: Answering,
    ) -> Result<EncodedAnswer, ClientError> {
        self.charged(call, answering.spent.clone(), answering.answer()).await
    }

    /// Runs work in its owner's turn; the owner pays for the time.
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
