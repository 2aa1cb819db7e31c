//! Run limits: exact under concurrency, refunded for jobs that recorded nothing, sliding with time; and the time limit of a run.

use super::*;
use crate::on_postgres::new_key;
use parquote_state::{KeyChange, NewActivity, NewKey, Store as StateFile};

const THREE_A_DAY: RunLimit = RunLimit { runs: 3, window_s: 86_400 };

fn key(byte: u8) -> NewKey {
    NewKey { owner: "Anu".to_owned(), created_at: NOON, ..new_key(byte) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_starts_at_once_through_two_servers_use_the_limit_exactly() {
    let fixture = Fixture::new();
    let servers = [fixture.jobs(), fixture.jobs()];
    let limit = RunLimit { runs: 17, window_s: 3_600 };
    let starts: Vec<_> = (0..50)
        .map(|n| {
            let jobs = servers[n % 2].clone();
            tokio::spawn(
                async move { jobs.start(committee("Anu", json!({"do": "hang"})), Some(limit)).await },
            )
        })
        .collect();
    let (mut started, mut refused) = (0, 0);
    for start in starts {
        match start.await.unwrap() {
            Ok(_) => started += 1,
            Err(JobError::Limit { runs: 17, window_s: 3_600, retry_after_s: Some(3_600) }) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!((started, refused), (17, 33));
    assert_eq!(servers[0].list("Anu", "committee", 100).await.unwrap().len(), 17);
}

#[tokio::test]
async fn the_window_slides_and_says_when_the_next_is_possible() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let start =
        async || jobs.start(committee("Anu", json!({"do": "hang"})), Some(THREE_A_DAY)).await.map(drop);
    let left = async || jobs.runs_left(Some(7), "committee", THREE_A_DAY).await.unwrap();
    for (runs, pass) in [(3, 100), (2, 50), (1, 0)] {
        assert_eq!(left().await, RunsLeft { runs, next_in_s: None });
        start().await.unwrap();
        fixture.pass(pass);
    }
    // 150 s after the first.
    assert_eq!(left().await, RunsLeft { runs: 0, next_in_s: Some(86_250) });
    let refused = start().await.unwrap_err();
    assert!(matches!(refused, JobError::Limit { retry_after_s: Some(86_250), .. }), "{refused}");
    fixture.pass(86_249);
    assert!(start().await.is_err());
    fixture.pass(1);
    start().await.unwrap();
    // The second leaves next, which was 100 s after the first.
    assert_eq!(left().await.next_in_s, Some(100));
    // After the limit was lowered, two runs must leave before another may start.
    let two = jobs.runs_left(Some(7), "committee", RunLimit { runs: 2, ..THREE_A_DAY }).await.unwrap();
    assert_eq!(two, RunsLeft { runs: 0, next_in_s: Some(150) });
    // Other keys, other kinds, callers without a key and unlimited jobs are unaffected.
    assert_eq!(jobs.runs_left(Some(8), "committee", THREE_A_DAY).await.unwrap().runs, 3);
    assert_eq!(jobs.runs_left(Some(7), "preset", THREE_A_DAY).await.unwrap().runs, 3);
    assert_eq!(jobs.runs_left(None, "committee", THREE_A_DAY).await.unwrap().runs, 3);
    jobs.start(committee("Anu", json!({})), None).await.unwrap();
    let none = RunLimit { runs: 0, window_s: 60 };
    let refused = jobs.start(NewJob { key_id: Some(8), ..committee("Bo", json!({})) }, Some(none)).await;
    assert!(matches!(refused, Err(JobError::Limit { retry_after_s: None, .. })));
}

#[tokio::test]
async fn callers_without_a_key_share_a_limit() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let one = Some(RunLimit { runs: 1, window_s: 60 });
    let new = |owner| NewJob { key_id: None, ..committee(owner, json!({})) };
    jobs.start(new("Anu"), one).await.unwrap();
    assert!(jobs.start(new("Bo"), one).await.is_err());
}

#[tokio::test]
async fn what_failed_before_a_step_is_given_back_and_what_ran_or_was_cancelled_is_not() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let left = async || jobs.runs_left(Some(7), "committee", THREE_A_DAY).await.unwrap().runs;
    let start = async |spec| jobs.start(committee("Anu", spec), Some(THREE_A_DAY)).await.unwrap();
    let job = start(json!({"do": "hang"})).await;
    assert_eq!(left().await, 2);
    jobs.cancel("Anu", "committee", &job.id).await.unwrap();
    jobs.cancel("Anu", "committee", &job.id).await.unwrap();
    assert_eq!(left().await, 2);
    let workers = fixture.serve(&jobs, 1);
    for spec in [json!({"do": "fail"}), json!({"do": "panic"})] {
        let job = start(spec).await;
        assert_eq!(ended(&jobs, &job).await.status, JobStatus::Failed);
        assert_eq!(left().await, 2);
    }
    // Failed after its first step, and completed.
    let twice = start(json!({"do": "twice"})).await;
    assert_eq!(ended(&jobs, &twice).await.status, JobStatus::Failed);
    assert_eq!(left().await, 1);
    let done = start(json!({"do": "steps", "steps": 0})).await;
    assert_eq!(ended(&jobs, &done).await.status, JobStatus::Completed);
    assert_eq!(left().await, 0);
    workers.stop().await;
}

#[tokio::test]
async fn a_key_that_replaces_another_has_used_what_that_used() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let mut file = StateFile::open(state_at(&fixture.path)).unwrap();
    let old = file.insert_key(&key(1)).unwrap();
    let new = NewJob { key_id: Some(old), ..committee("Anu", json!({"do": "hang"})) };
    let job = jobs.start(new.clone(), Some(THREE_A_DAY)).await.unwrap();
    jobs.start(new, Some(THREE_A_DAY)).await.unwrap();
    let change = KeyChange::Rotate { old, new: &key(2), until: NOON + 60 };
    let noted = NewActivity::by_command_line(NOON, "A", "rotated a key");
    let successor = file.change(&change, &noted).unwrap().unwrap();
    for key in [old, successor] {
        assert_eq!(jobs.runs_left(Some(key), "committee", THREE_A_DAY).await.unwrap().runs, 1);
    }
    jobs.cancel("Anu", "committee", &job.id).await.unwrap();
    for key in [old, successor] {
        assert_eq!(
            jobs.runs_left(Some(key), "committee", THREE_A_DAY).await.unwrap().runs,
            1,
            "a cancelled start is a start"
        );
    }
}

#[tokio::test]
async fn keys_of_one_owner_share_their_runs() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let mut file = StateFile::open(state_at(&fixture.path)).unwrap();
    let keys = [1, 2].map(|number| file.insert_key(&key(number)).unwrap());
    let other = file.insert_key(&NewKey { owner: "Somebody else".to_owned(), ..key(3) }).unwrap();
    for key in keys {
        let new = NewJob { key_id: Some(key), ..committee("Anu", json!({"do": "hang"})) };
        jobs.start(new, Some(THREE_A_DAY)).await.unwrap();
    }
    let left = async |key| jobs.runs_left(Some(key), "committee", THREE_A_DAY).await.unwrap().runs;
    assert_eq!([left(keys[0]).await, left(keys[1]).await, left(other).await], [1, 1, 3]);
}

#[tokio::test]
async fn an_id_is_given_once_a_kind() {
    let fixture = Fixture::new();
    let store = fixture.store();
    let entry = |owner, kind: &str| JobEntry {
        job: NewJob { kind: kind.to_owned(), ..committee(owner, json!({})) },
        id: "42".to_owned(),
        now: NOON,
    };
    assert!(matches!(
        store.insert(entry("Anu", "committee"), None).await.unwrap(),
        JobInsertResult::Inserted(_)
    ));
    assert_eq!(store.insert(entry("Bo", "committee"), None).await.unwrap(), JobInsertResult::IdTaken);
    assert!(matches!(store.insert(entry("Bo", "preset"), None).await.unwrap(), JobInsertResult::Inserted(_)));
    // A job that was not stored does not count.
    assert_eq!(store.runs_left(Some(7), "committee", THREE_A_DAY, NOON).await.unwrap().runs, 2);
}

/// Each step takes ten seconds less than a reply's timeout: no timeout of one reply ends such a run.
#[tokio::test]
async fn a_run_whose_replies_are_each_just_in_time_ends_at_its_time_with_its_steps_kept() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let workers = fixture.serve(&jobs, 1);
    let slow = json!({"do": "steps", "steps": 100, "step_s": 290, "usual_s": 240});
    let ended = ended(&jobs, &started(&jobs, slow).await).await;
    assert_eq!(ended.status, JobStatus::Failed);
    let words = ended.error.as_deref().unwrap();
    assert!(
        words.starts_with("the run was ended at its budget: it was not done 40 minutes after"),
        "{words}"
    );
    // 2,400 seconds have room for eight steps; the ninth is recorded too if it is stored before the run is ended.
    let steps = jobs.steps("Anu", "committee", &ended.id).await.unwrap().len();
    assert!((8..=9).contains(&steps), "{steps}");
    assert_eq!(ended.spent.input_tokens, 100 * steps as u64);
    // A slow run within its time limit completes.
    let patient = json!({"do": "steps", "steps": 8, "step_s": 290, "usual_s": 240});
    assert_eq!(super::ended(&jobs, &started(&jobs, patient).await).await.status, JobStatus::Completed);
    workers.stop().await;
}

/// A job that waits and records nothing is ended by the clock alone, also after a restart.
#[tokio::test]
async fn a_run_that_waits_for_ever_ends_at_its_time() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let silent = started(&jobs, json!({"do": "hang", "usual_s": 240})).await;
    let workers = fixture.serve(&jobs, 1);
    until(async || fixture.work.alive.load(Ordering::SeqCst) == 1).await;
    fixture.pass(2_399);
    workers.stop().await;
    assert_eq!(seen(&jobs, &silent).await.status, JobStatus::Running);
    let workers = fixture.serve(&jobs, 1);
    until(async || fixture.work.alive.load(Ordering::SeqCst) == 1).await;
    fixture.pass(1);
    let ended = ended(&jobs, &silent).await;
    assert_eq!((ended.status, fixture.work.alive.load(Ordering::SeqCst)), (JobStatus::Failed, 0));
    workers.stop().await;
}
