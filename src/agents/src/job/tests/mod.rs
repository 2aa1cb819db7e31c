//! Tests of jobs: several servers on one state, with a clock that tests set.

mod cancelling;
mod child;
mod faults;
mod leases;
mod limits;
mod queue;

use std::collections::HashMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value as Json, json};

use super::*;
use crate::on_postgres::state_at;
use parquote_state::{
    HoldState, JobClaim, JobClaimResult, JobEnding, JobInsertResult, StepRecordResult, StepRow,
};

/// Initial time of the clock.
const NOON: i64 = 1_790_000_000;

/// A state, a clock, and a handler with counters.
struct Fixture {
    _folder: tempfile::TempDir,
    path: PathBuf,
    now: Arc<AtomicI64>,
    work: Arc<ScriptedWorker>,
}

/// A handler that follows its specification and counts.
#[derive(Default)]
struct ScriptedWorker {
    /// Number of steps that were done, each of which would cost money.
    asked: AtomicUsize,
    /// Number of live futures, and its maximum.
    alive: AtomicUsize,
    most_alive: AtomicUsize,
    /// Names of jobs, in the order they began.
    begun: Mutex<Vec<String>>,
    /// Number of recorded steps after which it writes to standard output and waits forever.
    hang_after: Option<usize>,
    /// Clock that a slow step advances.
    clock: Arc<AtomicI64>,
}

/// Counts a future for as long as it lives.
struct Alive<'a>(&'a ScriptedWorker);

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        self.0.alive.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl JobHandler for ScriptedWorker {
    async fn run(&self, spec: &Json, log: &dyn StepLog) -> Result<Json, WorkError> {
        let alive = self.alive.fetch_add(1, Ordering::SeqCst) + 1;
        let _alive = Alive(self);
        self.most_alive.fetch_max(alive, Ordering::SeqCst);
        self.begun.lock().unwrap().push(spec["name"].as_str().unwrap_or_default().to_owned());
        match spec["do"].as_str().unwrap() {
            "steps" => self.steps(spec, log).await,
            "hang" => std::future::pending().await,
            "wait" => {
                tokio::time::sleep(Duration::from_millis(spec["ms"].as_u64().unwrap())).await;
                Ok(json!("waited"))
            }
            "block" => {
                std::thread::sleep(Duration::from_millis(spec["ms"].as_u64().unwrap()));
                Ok(json!("blocked"))
            }
            "panic" => panic!("pq secret words of the panic"),
            "fail" => Err(WorkError::Failed("the provider refused the key".to_owned())),
            "lost" => Err(WorkError::Lost),
            "twice" => {
                log.record("a", &json!(1), ProviderUsage::default()).await?;
                log.record("a", &json!(2), ProviderUsage::default()).await?;
                Ok(Json::Null)
            }
            "greedy" => {
                // Ignores every error and returns success.
                for step in 0..10 {
                    if let Ok(None) = log.recorded_output(&step.to_string()).await {
                        self.asked.fetch_add(1, Ordering::SeqCst);
                        let spent = ProviderUsage { input_tokens: 10, output_tokens: 30, cost_microusd: 7 };
                        let _ = log.record(&step.to_string(), &json!(step), spent).await;
                    }
                }
                Ok(json!("all done"))
            }
            "long report" => Ok(json!("x".repeat(spec["bytes"].as_u64().unwrap() as usize))),
            "long step" => {
                let output = json!("x".repeat(spec["bytes"].as_u64().unwrap() as usize));
                log.record("long", &output, ProviderUsage::default()).await?;
                Ok(json!("kept"))
            }
            other => panic!("no script `{other}`"),
        }
    }

    fn usual_seconds(&self, spec: &Json) -> Option<u32> {
        spec["usual_s"].as_u64().map(|seconds| seconds as u32)
    }
}

impl ScriptedWorker {
    /// Records the specified number of steps; the report has all recorded outputs.
    async fn steps(&self, spec: &Json, log: &dyn StepLog) -> Result<Json, WorkError> {
        let steps = spec["steps"].as_u64().unwrap() as usize;
        let mut outputs = Vec::new();
        for step in 0..steps {
            let name = format!("analyst.{step}");
            log.progress(JobProgress { step: name.clone(), agents_done: step as u32, agents: steps as u32 })
                .await;
            let output = if let Some(output) = log.recorded_output(&name).await? {
                output
            } else {
                self.asked.fetch_add(1, Ordering::SeqCst);
                self.clock.fetch_add(spec["step_s"].as_i64().unwrap_or_default(), Ordering::SeqCst);
                // Figures with long shortest decimals.
                let output = json!({"step": step, "figure": (step as f64 + 0.1) / 3.0, "text": "ü \"₹\""});
                let spent = ProviderUsage { input_tokens: 100, output_tokens: 10, cost_microusd: 3 };
                log.record(&name, &output, spent).await?;
                output
            };
            outputs.push(output);
            if self.hang_after == Some(step + 1) {
                println!("recorded {}", step + 1);
                std::future::pending::<()>().await;
            }
        }
        Ok(json!({"of": spec["name"], "outputs": outputs, "tokens": log.spent().input_tokens}))
    }
}

fn settings() -> Settings {
    Settings {
        renew_interval: Duration::from_millis(20),
        poll_interval: Duration::from_millis(10),
        local_cancel_timeout: Duration::from_secs(10),
        remote_cancel_timeout: Duration::from_secs(20),
        ..Settings::default()
    }
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let now = Arc::new(AtomicI64::new(NOON));
        let work = Arc::new(ScriptedWorker { clock: Arc::clone(&now), ..ScriptedWorker::default() });
        Self { _folder: folder, path, now, work }
    }

    fn clock(&self) -> UnixClock {
        let now = Arc::clone(&self.now);
        Arc::new(move || now.load(Ordering::SeqCst))
    }

    fn pass(&self, seconds: i64) {
        self.now.fetch_add(seconds, Ordering::SeqCst);
    }

    fn store(&self) -> Arc<StateJobStore> {
        Arc::new(StateJobStore::open(state_at(&self.path)).unwrap())
    }

    /// Builds another server on the same state.
    fn jobs(&self) -> Jobs {
        self.jobs_with(settings())
    }

    fn jobs_with(&self, settings: Settings) -> Jobs {
        Jobs::new(self.store(), self.clock(), settings)
    }

    fn serve(&self, jobs: &Jobs, workers: usize) -> Workers {
        jobs.serve(works(&self.work), workers)
    }
}

fn works(work: &Arc<ScriptedWorker>) -> HashMap<String, Arc<dyn JobHandler>> {
    let work: Arc<dyn JobHandler> = Arc::clone(work) as _;
    HashMap::from([("preset".to_owned(), Arc::clone(&work)), ("committee".to_owned(), work)])
}

fn committee(owner: &str, spec: Json) -> NewJob {
    NewJob {
        kind: "committee".to_owned(),
        id_form: IdForm::Number,
        owner: owner.to_owned(),
        key_id: Some(7),
        spec,
        budget: Budget::default(),
    }
}

/// Starts a committee job of owner Anu.
async fn started(jobs: &Jobs, spec: Json) -> Job {
    jobs.start(committee("Anu", spec), None).await.unwrap()
}

async fn seen(jobs: &Jobs, job: &Job) -> Job {
    jobs.get(&job.owner, &job.kind, &job.id).await.unwrap()
}

/// Waits until a job has ended, and returns it.
async fn ended(jobs: &Jobs, job: &Job) -> Job {
    until(async || seen(jobs, job).await.status != JobStatus::Running).await;
    seen(jobs, job).await
}

/// Waits until a condition holds, for half a minute at most.
async fn until<F: Future<Output = bool>>(mut so: impl FnMut() -> F) {
    let wait = async {
        while !so().await {
            tokio::time::sleep(Duration::from_millis(4)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), wait).await.expect("it did not come to be so in time");
}

fn open(path: &Path) -> Jobs {
    Jobs::new(Arc::new(StateJobStore::open(state_at(path)).unwrap()), Arc::new(|| NOON), settings())
}

/// Takes a job as a worker that dies at once.
async fn taken_by_the_dead(store: &StateJobStore, fixture: &Fixture) -> (Job, Hold) {
    let now = fixture.now.load(Ordering::SeqCst);
    let worker = format!("dead at {now}");
    let claim = JobClaim {
        worker: worker.clone(),
        kinds: vec!["committee".to_owned()],
        excluded_owners: Vec::new(),
        now,
        lease_until: now + 15,
        most_attempts: 5,
        attempts_error: "worn out".to_owned(),
    };
    let JobClaimResult::Job(job) = store.take_job(claim).await.unwrap() else { panic!("nothing to take") };
    let hold = Hold { number: job.number, worker };
    (*job, hold)
}

#[tokio::test]
async fn a_job_runs_from_its_start_to_its_report() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let job = started(&jobs, json!({"do": "steps", "steps": 3, "name": "TCS"})).await;
    assert_eq!(
        (job.status, job.progress.step.as_str(), job.worker.as_deref()),
        (JobStatus::Running, "queued", None)
    );
    assert_eq!((jobs.count_queued().await.unwrap(), jobs.running(), jobs.tokens()), (1, 0, [0, 0]));
    assert!(jobs.has_running("committee").await.unwrap() && !jobs.has_running("preset").await.unwrap());
    fixture.pass(5);
    let workers = fixture.serve(&jobs, 2);
    let done = ended(&jobs, &job).await;
    assert_eq!(done.status, JobStatus::Completed);
    assert_eq!((done.created_at, done.started_at, done.finished_at), (NOON, Some(NOON + 5), Some(NOON + 5)));
    assert_eq!(done.spent, ProviderUsage { input_tokens: 300, output_tokens: 30, cost_microusd: 9 });
    assert_eq!(done.progress, JobProgress { step: "analyst.2".to_owned(), agents_done: 2, agents: 3 });
    let report = jobs.report("Anu", "committee", &job.id).await.unwrap().report.unwrap();
    assert_eq!((report["of"].as_str(), report["tokens"].as_u64()), (Some("TCS"), Some(300)));
    let steps = jobs.steps("Anu", "committee", &job.id).await.unwrap();
    assert_eq!(
        steps.iter().map(|s| s.step.as_str()).collect::<Vec<_>>(),
        ["analyst.0", "analyst.1", "analyst.2"]
    );
    workers.stop().await;
    assert_eq!((jobs.count_queued().await.unwrap(), jobs.running(), jobs.tokens()), (0, 0, [300, 30]));
    assert!(!jobs.has_running("committee").await.unwrap());
}

#[tokio::test]
async fn nobody_finds_a_job_of_another_through_any_verb() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let job = started(&jobs, json!({"do": "hang"})).await;
    let unknown = jobs.get("Bo", "committee", "1").await.unwrap_err().to_string();
    for (owner, kind) in [("Bo", "committee"), ("", "committee"), ("anu", "committee"), ("Anu", "preset")] {
        let errors = [
            jobs.get(owner, kind, &job.id).await.unwrap_err(),
            jobs.report(owner, kind, &job.id).await.unwrap_err(),
            jobs.steps(owner, kind, &job.id).await.unwrap_err(),
            jobs.cancel(owner, kind, &job.id).await.unwrap_err(),
        ];
        for error in errors {
            // The same message as for an unknown id.
            let words = error.to_string().replace(&job.id, "1").replace("preset", "committee");
            assert_eq!(words, unknown);
            assert!(matches!(error, JobError::NotFound { .. }));
        }
        assert!(jobs.list(owner, kind, 10).await.unwrap().is_empty());
    }
    assert_eq!(seen(&jobs, &job).await.status, JobStatus::Running);
    assert_eq!(jobs.list("Anu", "committee", 10).await.unwrap().len(), 1);
}
