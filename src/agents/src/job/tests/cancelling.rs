//! Every row of the table of cancels: resulting status and reported signal.

use super::*;

async fn cancel(jobs: &Jobs, job: &Job) -> (JobStatus, Option<Signal>) {
    let CancelResult { status, signal } = jobs.cancel(&job.owner, &job.kind, &job.id).await.unwrap();
    (status, signal)
}

#[tokio::test]
async fn a_job_that_no_worker_took_has_nobody_to_be_told() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let job = started(&jobs, json!({"do": "hang"})).await;
    assert_eq!(cancel(&jobs, &job).await, (JobStatus::Cancelled, Some(Signal::Unknown)));
    let workers = fixture.serve(&jobs, 1);
    let next = started(&jobs, json!({"do": "steps", "steps": 1})).await;
    assert_eq!(ended(&jobs, &next).await.status, JobStatus::Completed);
    // The cancelled job was skipped, and its result is unchanged.
    assert_eq!(fixture.work.begun.lock().unwrap().len(), 1);
    assert_eq!(cancel(&jobs, &job).await, (JobStatus::Cancelled, Some(Signal::Unknown)));
    workers.stop().await;
}

#[tokio::test]
async fn work_here_is_gone_when_the_cancel_returns() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let workers = fixture.serve(&jobs, 1);
    let job = started(&jobs, json!({"do": "hang"})).await;
    until(async || fixture.work.alive.load(Ordering::SeqCst) == 1).await;
    assert_eq!(cancel(&jobs, &job).await, (JobStatus::Cancelled, Some(Signal::Ok)));
    assert_eq!(fixture.work.alive.load(Ordering::SeqCst), 0);
    assert_eq!(cancel(&jobs, &job).await, (JobStatus::Cancelled, Some(Signal::Ok)));
    // The worker is free again.
    let next = started(&jobs, json!({"do": "steps", "steps": 1})).await;
    assert_eq!(ended(&jobs, &next).await.status, JobStatus::Completed);
    workers.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_that_does_not_let_go_is_cancelled_all_the_same() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs_with(Settings { local_cancel_timeout: Duration::from_millis(50), ..settings() });
    let workers = fixture.serve(&jobs, 1);
    let job = started(&jobs, json!({"do": "block", "ms": 400})).await;
    until(async || fixture.work.alive.load(Ordering::SeqCst) == 1).await;
    assert_eq!(cancel(&jobs, &job).await, (JobStatus::Cancelled, Some(Signal::Failed)));
    // It ends with a report, which is discarded, and acknowledges the cancel late.
    until(async || seen(&jobs, &job).await.cancel_ack).await;
    let reported = jobs.report("Anu", "committee", &job.id).await.unwrap();
    assert_eq!((reported.job.status, reported.report), (JobStatus::Cancelled, None));
    assert_eq!(cancel(&jobs, &job).await, (JobStatus::Cancelled, Some(Signal::Ok)));
    workers.stop().await;
}

#[tokio::test]
async fn a_worker_in_another_server_hears_of_it_at_its_next_heartbeat() {
    let fixture = Fixture::new();
    let (here, there) = (fixture.jobs(), fixture.jobs());
    let workers = fixture.serve(&there, 1);
    let job = started(&here, json!({"do": "hang"})).await;
    until(async || fixture.work.alive.load(Ordering::SeqCst) == 1).await;
    assert_eq!(cancel(&here, &job).await, (JobStatus::Cancelled, Some(Signal::Ok)));
    assert_eq!(fixture.work.alive.load(Ordering::SeqCst), 0);
    workers.stop().await;
}

#[tokio::test]
async fn a_worker_that_is_dead_cannot_be_told() {
    let fixture = Fixture::new();
    let (store, jobs) = (
        fixture.store(),
        fixture.jobs_with(Settings { remote_cancel_timeout: Duration::from_millis(150), ..settings() }),
    );
    let (first, second) =
        (started(&jobs, json!({"do": "hang"})).await, started(&jobs, json!({"do": "hang"})).await);
    // Its lease is valid: the worker might answer, so the cancel waits.
    let (job, _) = taken_by_the_dead(&store, &fixture).await;
    assert_eq!(job.number, first.number);
    assert_eq!(cancel(&jobs, &job).await, (JobStatus::Cancelled, Some(Signal::Failed)));
    // Its lease has expired: the worker is gone, so the cancel does not wait.
    let (job, _) = taken_by_the_dead(&store, &fixture).await;
    assert_eq!(job.number, second.number);
    fixture.pass(15);
    let patient = fixture.jobs();
    let quick = tokio::time::timeout(Duration::from_secs(10), cancel(&patient, &job)).await.unwrap();
    assert_eq!(quick, (JobStatus::Cancelled, Some(Signal::Failed)));
    assert_eq!(cancel(&jobs, &job).await, (JobStatus::Cancelled, Some(Signal::Failed)));
}

#[tokio::test]
async fn a_job_that_has_ended_stays_as_it_is() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let workers = fixture.serve(&jobs, 1);
    let completed = started(&jobs, json!({"do": "steps", "steps": 1})).await;
    let failed = started(&jobs, json!({"do": "fail"})).await;
    for (job, status) in [(completed, JobStatus::Completed), (failed, JobStatus::Failed)] {
        let before = ended(&jobs, &job).await;
        assert_eq!(before.status, status);
        fixture.pass(60);
        assert_eq!(cancel(&jobs, &job).await, (status, None));
        assert_eq!(seen(&jobs, &job).await, before);
    }
    workers.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_cancel_and_a_completion_the_first_wins() {
    let fixture = Fixture::new();
    let (here, there) = (fixture.jobs(), fixture.jobs());
    let workers = fixture.serve(&here, 1);
    for round in 0..60_u64 {
        let job = started(&here, json!({"do": "steps", "steps": 1})).await;
        let begun = round as usize + 1;
        until(async || {
            fixture.work.begun.lock().unwrap().len() == begun
                || seen(&here, &job).await.status != JobStatus::Running
        })
        .await;
        tokio::time::sleep(Duration::from_micros(round * 150)).await;
        let said = cancel(if round % 2 == 0 { &here } else { &there }, &job).await;
        let reported = here.report("Anu", "committee", &job.id).await.unwrap();
        assert_eq!(reported.job.status, said.0);
        assert_eq!(reported.report.is_some(), said.0 == JobStatus::Completed);
        fixture.work.begun.lock().unwrap().resize(begun, String::new());
    }
    workers.stop().await;
}
