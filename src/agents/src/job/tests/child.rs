//! Killed servers: this test binary runs itself as a server, which is killed with SIGKILL after each step.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use super::*;

/// State file of a server in a child process; unset in the tests themselves.
const FILE: &str = "PARQUOTE_TEST_JOB_FILE";
const HANG_AFTER: &str = "PARQUOTE_TEST_JOB_HANG_AFTER";
const NOW: &str = "PARQUOTE_TEST_JOB_NOW";
const STEPS: usize = 4;

/// Serves in a child process until it is killed; does nothing in the tests themselves.
#[test]
fn child() {
    let Ok(file) = std::env::var(FILE) else { return };
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<i64>().ok());
    let now = number(NOW).unwrap();
    let hang_after = number(HANG_AFTER).map(|steps| steps as usize);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Arc::new(StateJobStore::open(state_at(Path::new(&file))).unwrap());
        let jobs = Jobs::new(store, Arc::new(move || now), settings());
        let _workers =
            jobs.serve(works(&Arc::new(ScriptedWorker { hang_after, ..ScriptedWorker::default() })), 1);
        // Limits the life of a forgotten child.
        tokio::time::sleep(Duration::from_mins(1)).await;
    });
}

/// Runs a server in a child.
fn server(file: &Path, now: i64, hang_after: Option<usize>) -> Child {
    let path = format!("{}::child", module_path!().split_once("::").unwrap().1);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &path, "--nocapture", "--test-threads", "1"]);
    command.env(FILE, file).env(NOW, now.to_string()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.env_remove(HANG_AFTER);
    if let Some(steps) = hang_after {
        command.env(HANG_AFTER, steps.to_string());
    }
    command.spawn().unwrap()
}

/// Waits until the child reports this number of recorded steps, and kills it.
fn kill_after(mut child: Child, steps: usize) {
    let said = format!("recorded {steps}");
    let output = BufReader::new(child.stdout.take().unwrap());
    // Compares line ends: the harness has written the test's name on the same line.
    assert!(output.lines().any(|line| line.unwrap().ends_with(&said)), "the child never said `{said}`");
    child.kill().unwrap();
    child.wait().unwrap();
}

fn steps_of(steps: Vec<RecordedStep>) -> Vec<(String, Json)> {
    steps.into_iter().map(|step| (step.step, step.output)).collect()
}

#[tokio::test]
async fn a_run_that_is_killed_after_any_step_ends_in_the_same_report() {
    let spec = json!({"do": "steps", "steps": STEPS, "name": "INFY"});
    let whole = Fixture::new();
    let jobs = whole.jobs();
    let workers = whole.serve(&jobs, 1);
    let job = started(&jobs, spec.clone()).await;
    ended(&jobs, &job).await;
    let expected = jobs.report("Anu", "committee", &job.id).await.unwrap();
    let expected_steps = steps_of(jobs.steps("Anu", "committee", &job.id).await.unwrap());
    workers.stop().await;
    assert_eq!((expected_steps.len(), expected.job.spent.input_tokens), (STEPS, 100 * STEPS as u64));
    for steps in 1..=STEPS {
        let fixture = Fixture::new();
        let jobs = fixture.jobs();
        let job = started(&jobs, spec.clone()).await;
        kill_after(server(&fixture.path, NOON, Some(steps)), steps);
        // Readable while no worker runs it.
        assert_eq!(jobs.steps("Anu", "committee", &job.id).await.unwrap().len(), steps);
        fixture.pass(15);
        let workers = fixture.serve(&jobs, 1);
        let done = ended(&jobs, &job).await;
        let reported = jobs.report("Anu", "committee", &job.id).await.unwrap();
        assert_eq!(
            (done.attempts, reported.report, done.spent),
            (2, expected.report.clone(), expected.job.spent)
        );
        assert_eq!(steps_of(jobs.steps("Anu", "committee", &job.id).await.unwrap()), expected_steps);
        // No recorded step is repeated.
        assert_eq!(fixture.work.asked.load(Ordering::SeqCst), STEPS - steps);
        workers.stop().await;
    }
}

#[tokio::test]
async fn a_run_that_is_killed_at_every_step_in_turn_ends_all_the_same() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    // More steps than allowed attempts without one: each kill follows some progress, so that the job is never given up.
    let job = started(&jobs, json!({"do": "steps", "steps": 7, "name": "INFY"})).await;
    for steps in 1..=7 {
        kill_after(server(&fixture.path, fixture.now.load(Ordering::SeqCst), Some(steps)), steps);
        fixture.pass(15);
    }
    let workers = fixture.serve(&jobs, 1);
    let done = ended(&jobs, &job).await;
    assert_eq!((done.status, done.attempts, done.spent.input_tokens), (JobStatus::Completed, 8, 700));
    assert_eq!(jobs.steps("Anu", "committee", &job.id).await.unwrap().len(), 7);
    assert_eq!(fixture.work.asked.load(Ordering::SeqCst), 0);
    workers.stop().await;
}

#[tokio::test]
async fn a_cancel_reaches_the_worker_in_another_process_and_a_killed_one_it_does_not() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let job = started(&jobs, json!({"do": "hang"})).await;
    let mut child = server(&fixture.path, NOON, None);
    until(async || seen(&jobs, &job).await.worker.is_some()).await;
    let cancelled = jobs.cancel("Anu", "committee", &job.id).await.unwrap();
    assert_eq!(cancelled, CancelResult { status: JobStatus::Cancelled, signal: Some(Signal::Ok) });
    let second = started(&jobs, json!({"do": "hang"})).await;
    until(async || seen(&jobs, &second).await.worker.is_some()).await;
    child.kill().unwrap();
    child.wait().unwrap();
    let hasty =
        fixture.jobs_with(Settings { remote_cancel_timeout: Duration::from_millis(200), ..settings() });
    let cancelled = hasty.cancel("Anu", "committee", &second.id).await.unwrap();
    assert_eq!(cancelled, CancelResult { status: JobStatus::Cancelled, signal: Some(Signal::Failed) });
}

#[tokio::test]
async fn a_file_that_a_killed_server_left_opens_and_goes_on() {
    // Killed at arbitrary moments, in the middle of any operation.
    let spec = json!({"do": "steps", "steps": 200, "name": "INFY"});
    let fixture = Fixture::new();
    let job = started(&fixture.jobs(), spec).await;
    let mut recorded = Vec::new();
    for pause in [30, 45, 60, 25, 80] {
        let mut child = server(&fixture.path, fixture.now.load(Ordering::SeqCst), None);
        let jobs = open(&fixture.path);
        let before = recorded.len();
        until(async || jobs.steps("Anu", "committee", &job.id).await.unwrap().len() > before).await;
        tokio::time::sleep(Duration::from_millis(pause)).await;
        child.kill().unwrap();
        child.wait().unwrap();
        // A database may still commit requests of the killed server.
        let steps = async || jobs.steps("Anu", "committee", &job.id).await.unwrap();
        until(async || steps().await.len() as u64 * 100 == seen(&jobs, &job).await.spent.input_tokens).await;
        let steps = steps().await;
        assert_eq!(steps[..before], recorded[..], "what was recorded stays as it was");
        recorded = steps;
        fixture.pass(15);
        if seen(&jobs, &job).await.status != JobStatus::Running || recorded.len() > 150 {
            break;
        }
    }
    let jobs = fixture.jobs();
    let workers = fixture.serve(&jobs, 1);
    let done = ended(&jobs, &job).await;
    assert_eq!((done.status, done.spent.input_tokens), (JobStatus::Completed, 20_000));
    assert_eq!(jobs.steps("Anu", "committee", &job.id).await.unwrap().len(), 200);
    workers.stop().await;
}
