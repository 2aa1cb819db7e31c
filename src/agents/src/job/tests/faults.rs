//! Faults: panics, budgets, outputs that are too long, a full disk, a read-only file.

use super::*;

/// Starts a job with a budget and waits for its end.
async fn outcome(jobs: &Jobs, spec: Json, budget: Budget) -> Job {
    let job = jobs.start(NewJob { budget, ..committee("Anu", spec) }, None).await.unwrap();
    ended(jobs, &job).await
}

/// Waits until an attempt at a job was given up.
async fn given_up(jobs: &Jobs, job: &Job, attempt: u32) {
    until(async || {
        let job = seen(jobs, job).await;
        job.attempts == attempt && job.worker.is_none()
    })
    .await;
}

/// Prevents the store's file from growing.
async fn no_room(store: &StateJobStore) {
    store
        .call(|file| {
            // SQLite uses the present size as minimum instead.
            file.set_pragma("max_page_count", 1).unwrap();
            Ok(())
        })
        .await
        .unwrap();
}

#[tokio::test]
async fn a_panic_fails_its_job_and_nothing_else() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let workers = fixture.serve(&jobs, 1);
    let failed = outcome(&jobs, json!({"do": "panic"}), Budget::default()).await;
    let words = failed.error.unwrap();
    assert_eq!(failed.status, JobStatus::Failed);
    assert!(words.contains("`committee`") && words.contains("a fault of the server"), "{words}");
    assert!(!words.contains("secret"), "{words}");
    let next = outcome(&jobs, json!({"do": "steps", "steps": 1}), Budget::default()).await;
    assert_eq!(next.status, JobStatus::Completed);
    workers.stop().await;
}

#[tokio::test]
async fn a_budget_ends_a_run_whose_steps_stay_readable() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let workers = fixture.serve(&jobs, 1);
    // 110 tokens a step: 330 are the limit, 440 exceed it.
    let budget = Budget { tokens: Some(330), cost_microusd: None };
    let failed = outcome(&jobs, json!({"do": "steps", "steps": 9}), budget).await;
    assert_eq!(failed.status, JobStatus::Failed);
    assert_eq!(failed.error.unwrap(), "the run was ended at its budget: 440 tokens were used of 330");
    assert_eq!(jobs.steps("Anu", "committee", &failed.id).await.unwrap().len(), 4);
    let exact = outcome(&jobs, json!({"do": "steps", "steps": 3}), budget).await;
    assert_eq!(exact.status, JobStatus::Completed);
    // 3 millionths a step.
    let cost = Budget { tokens: None, cost_microusd: Some(5) };
    let failed = outcome(&jobs, json!({"do": "steps", "steps": 9}), cost).await;
    assert_eq!((failed.status, failed.spent.cost_microusd), (JobStatus::Failed, 6));
    workers.stop().await;
}

#[tokio::test]
async fn work_that_passes_over_its_budget_spends_no_more_and_fails_all_the_same() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let workers = fixture.serve(&jobs, 1);
    // 40 tokens a step.
    let failed =
        outcome(&jobs, json!({"do": "greedy"}), Budget { tokens: Some(60), cost_microusd: None }).await;
    assert_eq!((failed.status, failed.spent.output_tokens), (JobStatus::Failed, 60));
    assert_eq!(fixture.work.asked.load(Ordering::SeqCst), 2);
    workers.stop().await;
}

#[tokio::test]
async fn a_run_that_was_killed_over_its_budget_is_not_taken_further() {
    let fixture = Fixture::new();
    let (store, jobs) = (fixture.store(), fixture.jobs());
    let new = NewJob {
        budget: Budget { tokens: Some(5), cost_microusd: None },
        ..committee("Anu", json!({"do": "steps", "steps": 2}))
    };
    let job = jobs.start(new, None).await.unwrap();
    let (_, dead) = taken_by_the_dead(&store, &fixture).await;
    let spent = ProviderUsage { output_tokens: 6, ..ProviderUsage::default() };
    store
        .record(&dead, StepRow { step: "a".to_owned(), output: "1".to_owned(), spent, at: NOON })
        .await
        .unwrap();
    fixture.pass(15);
    let workers = fixture.serve(&jobs, 1);
    let failed = ended(&jobs, &job).await;
    assert_eq!(failed.error.unwrap(), "the run was ended at its budget: 6 tokens were used of 5");
    assert_eq!(fixture.work.asked.load(Ordering::SeqCst), 0);
    workers.stop().await;
}

#[tokio::test]
async fn what_is_too_long_is_refused_in_words() {
    let fixture = Fixture::new();
    let small =
        Settings { most_spec_bytes: 100, most_step_bytes: 1_000, most_report_bytes: 2_000, ..settings() };
    let jobs = fixture.jobs_with(small);
    let workers = fixture.serve(&jobs, 1);
    let none = Budget::default();
    let refused = jobs.start(committee("Anu", json!({"goal": "x".repeat(100)})), None).await.unwrap_err();
    assert!(matches!(refused, JobError::TooLong { bytes: 111, most: 100 }), "{refused}");
    // Two quotation marks around it.
    let step = async |bytes: u64| outcome(&jobs, json!({"do": "long step", "bytes": bytes}), none).await;
    let report = async |bytes: u64| outcome(&jobs, json!({"do": "long report", "bytes": bytes}), none).await;
    assert_eq!(step(998).await.status, JobStatus::Completed);
    assert_eq!(
        step(999).await.error.unwrap(),
        "the output of the step `long` has 1001 bytes; at most 1000 are stored"
    );
    assert_eq!(report(1_998).await.status, JobStatus::Completed);
    assert_eq!(report(1_999).await.error.unwrap(), "the report has 2001 bytes; at most 2000 are stored");
    workers.stop().await;
}

#[tokio::test]
async fn a_step_is_recorded_once_and_the_first_stays() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let workers = fixture.serve(&jobs, 1);
    let failed = outcome(&jobs, json!({"do": "twice"}), Budget::default()).await;
    assert!(failed.error.unwrap().contains("`a` was to be recorded a second time"));
    let steps = jobs.steps("Anu", "committee", &failed.id).await.unwrap();
    assert_eq!(steps.iter().map(|step| step.output.clone()).collect::<Vec<_>>(), [json!(1)]);
    workers.stop().await;
}

#[tokio::test]
async fn work_that_is_wrong_about_having_lost_its_job_is_tried_again_later() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let workers = fixture.serve(&jobs, 1);
    let job = started(&jobs, json!({"do": "lost"})).await;
    until(async || seen(&jobs, &job).await.attempts == 1).await;
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert_eq!(seen(&jobs, &job).await.attempts, 1);
    for attempt in 1..5 {
        given_up(&jobs, &job, attempt).await;
        fixture.pass(30);
    }
    assert_eq!(ended(&jobs, &job).await.attempts, 5);
    workers.stop().await;
}

#[tokio::test]
async fn a_full_disk_delays_a_job_and_room_lets_it_go_on() {
    let fixture = Fixture::new();
    let store = fixture.store();
    let jobs = Jobs::new(Arc::clone(&store), fixture.clock(), settings());
    let job = started(&jobs, json!({"do": "long step", "bytes": 500_000})).await;
    no_room(&store).await;
    let workers = fixture.serve(&jobs, 1);
    for attempt in 1..=3 {
        given_up(&jobs, &job, attempt).await;
        let now = seen(&jobs, &job).await;
        assert_eq!((now.status, now.progress.step.as_str()), (JobStatus::Running, "queued"));
        assert!(jobs.steps("Anu", "committee", &job.id).await.unwrap().is_empty());
        if attempt == 3 {
            store
                .call(|file| {
                    file.set_pragma("max_page_count", 1 << 30).unwrap();
                    Ok(())
                })
                .await
                .unwrap();
        }
        fixture.pass(30);
    }
    let done = ended(&jobs, &job).await;
    assert_eq!((done.status, done.attempts), (JobStatus::Completed, 4));
    assert_eq!(jobs.steps("Anu", "committee", &job.id).await.unwrap().len(), 1);
    workers.stop().await;
}

#[tokio::test]
async fn a_disk_that_stays_full_fails_the_job_in_words() {
    let fixture = Fixture::new();
    let store = fixture.store();
    let jobs = Jobs::new(Arc::clone(&store), fixture.clock(), settings());
    let job = started(&jobs, json!({"do": "long step", "bytes": 500_000})).await;
    no_room(&store).await;
    let workers = fixture.serve(&jobs, 1);
    for attempt in 1..=5 {
        until(async || seen(&jobs, &job).await.attempts == attempt).await;
        until(async || {
            let job = seen(&jobs, &job).await;
            job.worker.is_none() || job.status != JobStatus::Running
        })
        .await;
        fixture.pass(30);
    }
    let failed = ended(&jobs, &job).await;
    let words = failed.error.unwrap();
    assert_eq!(
        words,
        "the record of the run cannot be stored: the server's state database cannot be read or written; it was started 5 times without finishing a step"
    );
    let room = jobs.runs_left(Some(7), "committee", RunLimit { runs: 1, window_s: 86_400 }).await.unwrap();
    assert_eq!(room.runs, 1);
    workers.stop().await;
}

#[tokio::test]
async fn a_file_that_may_not_be_written_refuses_and_stays_readable() {
    let fixture = Fixture::new();
    let store = fixture.store();
    let jobs = Jobs::new(Arc::clone(&store), fixture.clock(), settings());
    let job = started(&jobs, json!({"do": "steps", "steps": 1})).await;
    store
        .call(|file| {
            file.set_pragma("query_only", 1).unwrap();
            Ok(())
        })
        .await
        .unwrap();
    let workers = fixture.serve(&jobs, 1);
    let errors = [
        jobs.start(committee("Anu", json!({})), None).await.unwrap_err(),
        jobs.cancel("Anu", "committee", &job.id).await.unwrap_err(),
    ];
    for error in errors {
        let client = parquote_catalogue::error::ClientError::from(error);
        assert_eq!(client.kind.status(), 503);
        assert!(!client.message.contains("state.db"), "{}", client.message);
    }
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert_eq!(seen(&jobs, &job).await, job);
    // Once it is writable, the queue continues by itself.
    store
        .call(|file| {
            file.set_pragma("query_only", 0).unwrap();
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(ended(&jobs, &job).await.status, JobStatus::Completed);
    workers.stop().await;
}

#[tokio::test]
async fn figures_are_read_back_to_the_last_bit() {
    let fixture = Fixture::new();
    let (store, jobs) = (fixture.store(), fixture.jobs());
    started(&jobs, json!({"do": "hang"})).await;
    let (_, hold) = taken_by_the_dead(&store, &fixture).await;
    // Digits of the golden ratio's multiples, over many magnitudes: as far from short decimals as doubles go.
    let figures: Vec<f64> = (1..20_000)
        .map(|n| (f64::from(n) * 0.618_033_988_749_894_9).fract() * 10_f64.powi(n % 40 - 20))
        .collect();
    let step = StepRow {
        step: "a".to_owned(),
        output: json!(figures).to_string(),
        spent: ProviderUsage::default(),
        at: NOON,
    };
    store.record(&hold, step).await.unwrap();
    let back = store.recorded_output(&hold, "a").await.unwrap().1.unwrap();
    let differ =
        figures.iter().zip(back.as_array().unwrap()).filter(|(a, b)| b.as_f64() != Some(**a)).count();
    assert_eq!(differ, 0, "serde_json needs its feature `float_roundtrip`");
}
