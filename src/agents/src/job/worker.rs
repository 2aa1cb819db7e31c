//! Runs one job: calls its handler, renews its lease, stops it on a signal, and records the outcome.

use std::sync::Arc;

use serde_json::Value as Json;
use tokio::task::{JoinError, JoinSet};

use super::held::ActiveHold;
use super::log::Log;
use super::record::Job;
use super::shared::JobContext;
use super::work::{JobHandler, WorkError};
use parquote_state::{HoldState, JobEnding};

/// Maximum characters of an error message.
const MOST_ERROR_CHARACTERS: usize = 2_000;
/// Number of tries to record the end of a job. After that its lease expires, and the job runs again from its recorded steps.
const END_TRIES: u32 = 3;

/// The result of a handler's task.
type Outcome = Result<Result<Json, WorkError>, JoinError>;

/// Runs a job from its last recorded step to its end.
pub(super) async fn run(shared: Arc<JobContext>, job: Job, holding: ActiveHold, work: Arc<dyn JobHandler>) {
    let usual_seconds = work.usual_seconds(&job.spec);
    let log = Arc::new(Log::new(Arc::clone(&shared), holding.hold.clone(), &job, usual_seconds));
    let outcome = match log.check_budget().and_then(|()| log.check_time()) {
        Ok(()) => supervise(&shared, &job.spec, &holding, work, Arc::clone(&log)).await,
        Err(error) => Some(Ok(Err(error))),
    };
    let ending = job_ending(&shared, &job.kind, outcome, &log);
    record_end(&shared, &holding, ending).await;
    drop(holding);
    shared.wake.notify_one();
}

/// Runs a job until it ends, is signalled to stop, or is taken over. Returns `None` if no task is left.
async fn supervise(
    shared: &JobContext,
    spec: &Json,
    holding: &ActiveHold,
    work: Arc<dyn JobHandler>,
    log: Arc<Log>,
) -> Option<Outcome> {
    // A separate task confines panics. Its set also aborts it when this future is dropped.
    let mut task = JoinSet::new();
    let (spec, heartbeat_log) = (spec.clone(), Arc::clone(&log));
    task.spawn(async move { work.run(&spec, &*log).await });
    let overrun = tokio::select! {
        outcome = task.join_next() => return outcome,
        overrun = heartbeat(shared, holding, &heartbeat_log) => overrun,
        () = holding.wait_for_stop() => None,
    };
    // A task that blocks its thread continues until its next await; waiters for it have a timeout.
    task.abort_all();
    match (task.join_next().await, overrun) {
        (Some(Err(error)), Some(overrun)) if error.is_cancelled() => Some(Ok(Err(overrun))),
        (outcome, _) => outcome,
    }
}

/// Renews the lease until the job is cancelled or lost (`None`), or over its time limit (the error).
async fn heartbeat(shared: &JobContext, holding: &ActiveHold, log: &Log) -> Option<WorkError> {
    loop {
        tokio::time::sleep(shared.settings.renew_interval).await;
        if let Err(overrun) = log.check_time() {
            return Some(overrun);
        }
        let until = (shared.clock)().saturating_add(shared.settings.lease_s);
        match shared.store.renew(&holding.hold, until).await {
            Ok(HoldState::Held) => {}
            Ok(HoldState::Cancelled | HoldState::Lost) => return None,
            // A takeover is unknown until the store can be read; until then this worker cannot record anything either.
            Err(error) => {
                tracing::warn!(job = holding.hold.number, cause = error.chain(), "a lease is not renewed");
            }
        }
    }
}

fn job_ending(shared: &JobContext, kind: &str, outcome: Option<Outcome>, log: &Log) -> JobEnding {
    let result = match outcome {
        Some(Ok(result)) => log.check_budget().and(result),
        Some(Err(error)) if error.is_panic() => Err(WorkError::Failed(panic_message(kind, error))),
        Some(Err(_)) | None => return JobEnding::Released,
    };
    let report = match result {
        Ok(report) => report.to_string(),
        // The store leaves a lost job alone. A job wrongly reported as lost is retried, after a pause.
        Err(error @ (WorkError::Record(_) | WorkError::Lost)) => return released_for_retry(shared, &error),
        Err(error @ (WorkError::Failed(_) | WorkError::Budget(_))) => {
            return failed_ending(&error.to_string());
        }
    };
    let most = shared.settings.most_report_bytes;
    if report.len() > most {
        return failed_ending(&format!("the report has {} bytes; at most {most} are stored", report.len()));
    }
    JobEnding::Completed { report }
}

fn released_for_retry(shared: &JobContext, error: &WorkError) -> JobEnding {
    let most_attempts = shared.settings.most_attempts;
    JobEnding::PutBack {
        not_before: (shared.clock)().saturating_add(shared.settings.retry_s),
        most_attempts,
        error: format!("{error}; it was started {most_attempts} times without finishing a step"),
    }
}

fn failed_ending(words: &str) -> JobEnding {
    JobEnding::Failed { error: words.chars().take(MOST_ERROR_CHARACTERS).collect() }
}

/// Builds the message for a panic; the text of the panic goes to the log only.
fn panic_message(kind: &str, error: JoinError) -> String {
    let payload = error.into_panic();
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no words");
    tracing::error!(kind, panic = text, "the work of a job panicked");
    format!(
        "the work of this `{kind}` run stopped by a fault of the server; the operator finds it in the log"
    )
}

/// Records how a job ended.
async fn record_end(shared: &JobContext, holding: &ActiveHold, ending: JobEnding) {
    for attempt in 1..=END_TRIES {
        match shared.store.end(&holding.hold, ending.clone(), (shared.clock)()).await {
            Ok(_) => return,
            Err(error) => {
                tracing::error!(
                    job = holding.hold.number,
                    cause = error.chain(),
                    "the end of a job is not stored"
                );
            }
        }
        if attempt < END_TRIES {
            tokio::time::sleep(shared.settings.poll_interval).await;
        }
    }
}
