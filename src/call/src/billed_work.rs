//! User-written SELECTs, which are charged to their caller. They run in separate processes, which owners use in turn, and cost the
//! processor time that they use.

use std::sync::Arc;

use super::Service;
use super::admitted::Call;
use super::answering::AnswerInputs;
use super::fair_queue::{FairQueue, QueueLimits};
use super::queue_figures::QueueFigures;
use super::running_answers::RunningAnswers;
use parquote_catalogue::error::ClientError;
use parquote_engine::EncodedAnswer;
use parquote_handlers::most_cost_of_work;
use parquote_select_process::{ProcessFigures, SelectProcesses};

/// The processes for user-written SELECTs, and the queue of calls that wait for them.
#[derive(Debug, Clone)]
pub(super) struct SelectQueue {
    processes: Arc<SelectProcesses>,
    queue: Arc<FairQueue>,
    running: Arc<RunningAnswers>,
}

impl SelectQueue {
    /// Builds the queue: at most `most` processes at once; 0 means half of the cores, but at least 2 and at most 8. One owner uses at most
    /// half of the processes.
    fn new(processes: Arc<SelectProcesses>, most: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most = if most == 0 { (cores / 2).clamp(2, 8) } else { most };
        let queue = FairQueue::new(QueueLimits {
            running: most,
            running_per_key: most.div_ceil(2),
            waiting_per_key: 4,
            waiting: 32,
        });
        Self { processes, queue, running: Arc::default() }
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
    /// Returns the service with at most `most` processes for user-written SELECTs; 0 for half of the cores.
    #[must_use]
    pub fn with_select_processes(self, processes: Arc<SelectProcesses>, most: usize) -> Self {
        Self { selects: Some(SelectQueue::new(processes, most)), ..self }
    }

    /// Returns the numbers of processes started and killed for user-written SELECTs; `None` if they do not run in processes.
    pub fn select_processes(&self) -> Option<ProcessFigures> {
        self.selects.as_ref().map(|selects| selects.figures().1)
    }

    /// Answers a call. Identical calls of one key at the same time have one answer if the operation allows that: one of them waits for its
    /// turn and pays.
    pub(super) async fn answer_billed(
        &self,
        call: &Call,
        inputs: AnswerInputs,
    ) -> Result<EncodedAnswer, ClientError> {
        match &self.selects {
            Some(selects) if inputs.is_shared() => {
                let answer = self.answer_in_turn(call, inputs);
                selects.running.answer(deduplication_key(call), answer).await
            }
            _ => self.answer_in_turn(call, inputs).await,
        }
    }

    /// Answers a call in its owner's turn; its caller pays for the time of the work.
    async fn answer_in_turn(&self, call: &Call, inputs: AnswerInputs) -> Result<EncodedAnswer, ClientError> {
        let (most, spent) = (most_cost_of_work(call.caller.tier()), &inputs.processor_time);
        let _reservation = match &call.payer {
            Some(payer) => Some(payer.reserve_maximum(most, spent).await?),
            None => None,
        };
        let _permit = match &self.selects {
            Some(selects) => Some(selects.queue.wait_for_permit(call.caller.owner_number()).await?),
            None => None,
        };
        inputs.answer().await
    }
}

/// Returns a text that is equal for identical calls of one key on the same data.
fn deduplication_key(call: &Call) -> String {
    let (prepared, key) = (&call.prepared, call.caller.key_number());
    let (arguments, presentation) = (prepared.arguments().canonical(), prepared.presentation().canonical());
    format!(
        "{key:?} {} {} {arguments} {presentation}",
        call.snapshot.id(),
        prepared.operation().operation().name
    )
}
