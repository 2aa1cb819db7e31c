//! The queue: turns of owners, bounded workers, jobs of other servers, deletion of old jobs.

use super::*;

fn begun(fixture: &Fixture) -> Vec<String> {
    fixture.work.begun.lock().unwrap().clone()
}

async fn start(jobs: &Jobs, owner: &str, name: &str) -> Job {
    jobs.start(committee(owner, json!({"do": "steps", "steps": 1, "name": name})), None).await.unwrap()
}

#[tokio::test]
async fn the_tenth_job_of_one_waits_behind_the_first_of_another() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let mut last = None;
    for n in 1..=10 {
        last = Some(start(&jobs, "Anu", &format!("A{n}")).await);
    }
    start(&jobs, "Bo", "B1").await;
    start(&jobs, "Bo", "B2").await;
    start(&jobs, "Cy", "C1").await;
    let workers = fixture.serve(&jobs, 1);
    ended(&jobs, &last.unwrap()).await;
    assert_eq!(begun(&fixture)[..6], ["A1", "B1", "C1", "A2", "B2", "A3"]);
    assert_eq!(begun(&fixture).len(), 13);
    // Idle owners save up no turns: the queue is empty, and both begin at its present turn.
    workers.stop().await;
    for name in ["D1", "D2", "D3"] {
        start(&jobs, "Di", name).await;
    }
    start(&jobs, "Anu", "A11").await;
    let last = start(&jobs, "Anu", "A12").await;
    let workers = fixture.serve(&jobs, 1);
    ended(&jobs, &last).await;
    until(async || begun(&fixture).len() == 18).await;
    assert_eq!(begun(&fixture)[13..], ["D1", "A11", "D2", "A12", "D3"]);
    workers.stop().await;
}

#[tokio::test]
async fn so_many_at_once_and_so_many_of_one_owner() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs_with(Settings { per_owner: 2, ..settings() });
    let workers = fixture.serve(&jobs, 3);
    let new = |owner, name| committee(owner, json!({"do": "hang", "name": name}));
    for name in ["A1", "A2", "A3"] {
        jobs.start(new("Anu", name), None).await.unwrap();
    }
    until(async || begun(&fixture).len() == 2).await;
    for name in ["B1", "B2"] {
        jobs.start(new("Bo", name), None).await.unwrap();
    }
    until(async || begun(&fixture).len() == 3).await;
    // Nothing more begins, at any time: three workers, of which two may be Anu's.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(begun(&fixture), ["A1", "A2", "B1"]);
    // When one of Anu's jobs ends, both owners have one running and one waiting: the older one begins.
    let first = jobs.list("Anu", "committee", 9).await.unwrap().pop().unwrap();
    jobs.cancel("Anu", "committee", &first.id).await.unwrap();
    until(async || begun(&fixture).len() == 4).await;
    assert_eq!(begun(&fixture)[3], "A3");
    assert_eq!(fixture.work.most_alive.load(Ordering::SeqCst), 3);
    workers.stop().await;
    assert_eq!(fixture.work.alive.load(Ordering::SeqCst), 0);
}

/// Waiting workers hold no thread: this whole test has one.
#[tokio::test]
async fn owners_whose_work_never_ends_leave_room_for_others() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let workers = fixture.serve(&jobs, WORKERS);
    for n in 0..20 {
        for _ in 0..3 {
            jobs.start(committee(&format!("silent {n}"), json!({"do": "hang"})), None).await.unwrap();
        }
    }
    until(async || fixture.work.alive.load(Ordering::SeqCst) == 40).await;
    let job = start(&jobs, "Anu", "A").await;
    assert_eq!(ended(&jobs, &job).await.status, JobStatus::Completed);
    workers.stop().await;
}

#[tokio::test]
async fn a_place_that_comes_free_goes_to_an_owner_with_nothing_at_work() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let workers = fixture.serve(&jobs, 3);
    let hang = |owner, name| committee(owner, json!({"do": "hang", "name": name}));
    let first = jobs.start(hang("Anu", "A1"), None).await.unwrap();
    jobs.start(hang("Anu", "A2"), None).await.unwrap();
    jobs.start(hang("Bo", "B1"), None).await.unwrap();
    until(async || begun(&fixture).len() == 3).await;
    // Both have turns of the same age, and Bo's next job has waited longer.
    jobs.start(hang("Bo", "B2"), None).await.unwrap();
    jobs.start(hang("Cy", "C1"), None).await.unwrap();
    jobs.cancel("Anu", "committee", &first.id).await.unwrap();
    until(async || begun(&fixture).len() == 4).await;
    assert_eq!(begun(&fixture)[3], "C1");
    workers.stop().await;
}

#[tokio::test]
async fn jobs_of_a_server_without_workers_are_done_by_another() {
    let fixture = Fixture::new();
    let (here, there) = (fixture.jobs(), fixture.jobs());
    let workers = fixture.serve(&there, 1);
    // It has found nothing, and looks again only because the store has changed.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let job = start(&here, "Anu", "A").await;
    assert_eq!(ended(&here, &job).await.status, JobStatus::Completed);
    workers.stop().await;
}

#[tokio::test]
async fn work_that_nobody_here_knows_waits_for_a_server_that_does() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let only = HashMap::from([("preset".to_owned(), Arc::clone(&fixture.work) as Arc<dyn JobHandler>)]);
    let workers = jobs.serve(only, 2);
    let unknown = start(&jobs, "Anu", "A").await;
    let new = NewJob {
        kind: "preset".to_owned(),
        id_form: IdForm::Hex,
        ..committee("Anu", json!({"do": "steps", "steps": 1}))
    };
    let known = jobs.start(new, None).await.unwrap();
    assert_eq!(ended(&jobs, &known).await.status, JobStatus::Completed);
    assert_eq!(seen(&jobs, &unknown).await.attempts, 0);
    assert_eq!((known.id.len(), unknown.id.parse::<u64>().is_ok()), (32, true));
    workers.stop().await;
}

#[tokio::test]
async fn jobs_that_ended_long_ago_are_deleted_with_their_steps() {
    let fixture = Fixture::new();
    let jobs = fixture.jobs();
    let workers = fixture.serve(&jobs, 1);
    let old = start(&jobs, "Anu", "old").await;
    ended(&jobs, &old).await;
    fixture.pass(60 * 86_400);
    let young = start(&jobs, "Anu", "young").await;
    ended(&jobs, &young).await;
    workers.stop().await;
    let waiting = start(&jobs, "Anu", "waiting").await;
    // The old job's 90 days are over, the young one is 30 days old, and queued jobs never expire.
    fixture.pass(30 * 86_400 + 1);
    let only = jobs.serve(HashMap::new(), 1);
    until(async || jobs.list("Anu", "committee", 9).await.unwrap().len() == 2).await;
    assert!(jobs.steps("Anu", "committee", &old.id).await.is_err());
    assert_eq!(jobs.steps("Anu", "committee", &young.id).await.unwrap().len(), 1);
    assert_eq!(seen(&jobs, &waiting).await.status, JobStatus::Running);
    only.stop().await;
    assert_eq!(jobs.list("Anu", "committee", 1).await.unwrap()[0].id, waiting.id);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_jobs_through_three_servers_are_each_done_once() {
    let fixture = Fixture::new();
    let servers = [fixture.jobs(), fixture.jobs(), fixture.jobs()];
    let workers: Vec<Workers> = servers.iter().map(|jobs| fixture.serve(jobs, 3)).collect();
    let mut started = Vec::new();
    for n in 0..45 {
        let (jobs, owner) = (&servers[n % 3], ["Anu", "Bo", "Cy", "Di"][n % 4]);
        let spec = json!({"do": "steps", "steps": 2, "name": n.to_string()});
        started.push(jobs.start(committee(owner, spec), None).await.unwrap());
    }
    for job in &started {
        let done = ended(&servers[0], job).await;
        assert_eq!((done.status, done.attempts), (JobStatus::Completed, 1));
    }
    for workers in workers {
        workers.stop().await;
    }
    assert_eq!((begun(&fixture).len(), fixture.work.asked.load(Ordering::SeqCst)), (45, 90));
}
