//! Leases: holding, taking over, and the writes that a worker without its lease may not do.

use super::*;

#[tokio::test]
async fn a_job_of_the_dead_is_taken_over_when_its_lease_runs_out_and_they_record_nothing_more() {
    let fixture = Fixture::new();
    let (store, jobs) = (fixture.store(), fixture.jobs());
    let job = started(&jobs, json!({"do": "steps", "steps": 2})).await;
    let (_, dead) = taken_by_the_dead(&store, &fixture).await;
    let step = |name: &str, spent| StepRow {
        step: name.to_owned(),
        output: json!({"by": "the dead"}).to_string(),
        spent,
        at: NOON,
    };
    let spent = ProviderUsage { input_tokens: 1, ..ProviderUsage::default() };
    assert_eq!(
        store.record(&dead, step("analyst.0", spent)).await.unwrap(),
        StepRecordResult::Recorded(spent)
    );
    let workers = fixture.serve(&jobs, 1);
    fixture.pass(14);
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert_eq!(seen(&jobs, &job).await.worker, Some(dead.worker.clone()));
    fixture.pass(1);
    let done = ended(&jobs, &job).await;
    assert_eq!((done.status, done.attempts), (JobStatus::Completed, 2));
    // The step of the first attempt was reused; the second cost 100 tokens.
    assert_eq!((fixture.work.asked.load(Ordering::SeqCst), done.spent.input_tokens), (1, 101));
    // The dead worker comes back: its writes change nothing.
    assert_eq!(store.record(&dead, step("late", spent)).await.unwrap(), StepRecordResult::NotHeld);
    assert_eq!(store.renew(&dead, NOON + 999).await.unwrap(), HoldState::Lost);
    assert_eq!(store.recorded_output(&dead, "analyst.0").await.unwrap().0, HoldState::Lost);
    store.progress(&dead, &JobProgress { step: "late".to_owned(), ..JobProgress::default() }).await.unwrap();
    for ending in [
        JobEnding::Completed { report: "1".to_owned() },
        JobEnding::Failed { error: String::new() },
        JobEnding::Released,
        JobEnding::PutBack { not_before: 0, most_attempts: 0, error: String::new() },
    ] {
        assert_eq!(store.end(&dead, ending, NOON).await.unwrap(), HoldState::Lost);
    }
    assert_eq!(seen(&jobs, &job).await, done);
    assert_eq!(jobs.steps("Anu", "committee", &job.id).await.unwrap().len(), 2);
    workers.stop().await;
}

#[tokio::test]
async fn a_worker_that_lost_its_lease_while_another_works_drops_its_work() {
    let fixture = Fixture::new();
    // The first server misses its heartbeats, as a suspended machine does.
    let sleepy = fixture.jobs_with(Settings { renew_interval: Duration::from_millis(1_500), ..settings() });
    let first = fixture.serve(&sleepy, 1);
    let job = started(&sleepy, json!({"do": "hang"})).await;
    until(async || fixture.work.alive.load(Ordering::SeqCst) == 1).await;
    let before = seen(&sleepy, &job).await.worker.unwrap();
    let other = fixture.jobs();
    let second = fixture.serve(&other, 1);
    fixture.pass(16);
    until(async || seen(&other, &job).await.worker.is_some_and(|worker| worker != before)).await;
    let after = seen(&other, &job).await.worker;
    // Both work until the first one's heartbeat; then only the second, which holds the job.
    until(async || fixture.work.begun.lock().unwrap().len() == 2).await;
    until(async || fixture.work.alive.load(Ordering::SeqCst) == 1).await;
    tokio::time::sleep(Duration::from_millis(60)).await;
    let now = seen(&other, &job).await;
    assert_eq!((now.worker, now.status, now.attempts), (after, JobStatus::Running, 2));
    first.stop().await;
    second.stop().await;
}

#[tokio::test]
async fn a_heartbeat_keeps_the_job() {
    let fixture = Fixture::new();
    let (here, there) = (fixture.jobs(), fixture.jobs());
    let (first, second) = (fixture.serve(&here, 1), fixture.serve(&there, 1));
    let job = started(&here, json!({"do": "hang"})).await;
    for _ in 0..8 {
        let now = fixture.now.load(Ordering::SeqCst);
        until(async || seen(&here, &job).await.lease_until.is_some_and(|until| until >= now + 15)).await;
        fixture.pass(10);
    }
    let now = seen(&here, &job).await;
    assert_eq!((now.attempts, fixture.work.begun.lock().unwrap().len()), (1, 1));
    first.stop().await;
    second.stop().await;
}

#[tokio::test]
async fn a_shutdown_lets_go_at_once_and_does_not_count_as_an_attempt() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let job = started(&jobs, json!({"do": "hang"})).await;
    // More rounds than allowed attempts without a step, with a stopped clock: no lease expires.
    for round in 1..=7 {
        let workers = fixture.serve(&jobs, 1);
        until(async || fixture.work.begun.lock().unwrap().len() == round).await;
        workers.stop().await;
        let now = seen(&jobs, &job).await;
        assert_eq!((now.status, now.attempts, now.worker), (JobStatus::Running, 0, None));
        assert_eq!(now.progress.step, "queued");
        assert_eq!(fixture.work.alive.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test]
async fn a_job_that_kills_its_servers_is_given_up() {
    let fixture = Fixture::new();
    let (store, jobs) = (fixture.store(), fixture.jobs());
    let job = started(&jobs, json!({"do": "hang"})).await;
    for _ in 0..5 {
        taken_by_the_dead(&store, &fixture).await;
        fixture.pass(15);
    }
    let workers = fixture.serve(&jobs, 1);
    let failed = ended(&jobs, &job).await;
    assert_eq!((failed.status, failed.attempts), (JobStatus::Failed, 5));
    assert!(failed.error.unwrap().contains("stopped 5 times"));
    assert!(fixture.work.begun.lock().unwrap().is_empty());
    workers.stop().await;
}

#[tokio::test]
async fn workers_that_are_dropped_end_their_work_and_keep_only_their_leases() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let workers = fixture.serve(&jobs, 1);
    let job = started(&jobs, json!({"do": "hang"})).await;
    until(async || fixture.work.alive.load(Ordering::SeqCst) == 1).await;
    drop(workers);
    until(async || fixture.work.alive.load(Ordering::SeqCst) == 0).await;
    let left = seen(&jobs, &job).await;
    assert_eq!((left.status, left.lease_until), (JobStatus::Running, Some(NOON + 15)));
    // No worker of this server runs it: a cancel finds that out by the lease.
    fixture.pass(15);
    let cancelled = jobs.cancel("Anu", "committee", &job.id).await.unwrap();
    assert_eq!(cancelled, CancelResult { status: JobStatus::Cancelled, signal: Some(Signal::Failed) });
}
