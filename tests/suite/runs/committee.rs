//! Committees: from the start to the report, their limit, and every row of the table of cancellations.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parquote::agents::job::{JobHandler, JobProgress, Jobs, Settings, StateJobStore, StepLog, WorkError};
use parquote::handlers::COMMITTEE;
use parquote::operation::Tier;
use serde_json::{Value as Json, json};

use super::fixture::{Fixture, Plan, fast_jobs, wait_status, wait_until};
use super::script::{AMERICAN, INDIAN, INVENTED, Mood};
use crate::demo_market::RUNTIME;
use crate::protocol_server::Spoken;

const KEY: &str = "sk-committee-0000-1111";

fn fixture(workers: usize) -> Fixture {
    let fixture = Fixture::with(&[("Alice", Tier::ApiMax)], &Plan { workers, ..Plan::default() });
    fixture.save_key(0, Spoken::Gemini, KEY);
    fixture
}

fn cancel(fixture: &Fixture, job: i64) -> (String, String) {
    let answer = fixture.data(0, &format!("committee/cancel?job_id={job}"));
    assert_eq!(answer["job_id"], job, "{answer}");
    let text = |name: &str| answer[name].as_str().unwrap().to_owned();
    (text("status"), text("vps_cancel_status"))
}

fn words(status: &str, signal: &str) -> (String, String) {
    (status.to_owned(), signal.to_owned())
}

#[test]
fn a_committee_reports_on_a_stock_of_each_market() {
    for spoken in Spoken::ALL {
        let fixture = Fixture::for_callers(&[("Alice", Tier::ApiPro)]);
        fixture.save_key(0, spoken, KEY);
        let runs = [(INDIAN, "india"), (AMERICAN, "us")]
            .map(|(symbol, market)| (fixture.start_committee(0, symbol, market), symbol, market));
        for (job, symbol, market) in runs {
            let run = wait_status("completed", || fixture.committee(0, job));
            assert_eq!((&run["symbol"], &run["market"]), (&json!(symbol), &json!(market)), "{run}");
            assert_eq!(
                (&run["agents"], &run["agents_done"], &run["error"]),
                (&json!(4), &json!(4), &Json::Null)
            );
            let report = fixture.data(0, &format!("committee/report?job_id={job}"));
            let scan = fixture.data(0, &format!("committee/fast-scan?symbols={symbol}&market={market}"));
            check_report(&report, &scan["scans"][0], symbol, market);
            assert_eq!((&report["job_id"], &report["provider"]), (&json!(job), &json!(spoken.name())));
            // The verdict is recorded; it is scored if the training of the model is declared, as that of one of them is.
            let ledger =
                fixture.data(0, &format!("screens/ledger?market={market}&lines=true"))["ledgers"][0].clone();
            let name = format!("committee: {}/{}", spoken.name(), run["model"].as_str().unwrap());
            let is_unknown = ledger["trained_until"].is_null();
            assert_eq!(is_unknown, spoken.name() != "groq", "{ledger}");
            assert_eq!(
                (&ledger["name"], &ledger["line_count"], &ledger["unscored_count"]),
                (&json!(name), &json!(1), &json!(u64::from(is_unknown))),
                "{ledger}"
            );
            let line: Json = serde_json::from_str(ledger["lines"][0].as_str().unwrap()).unwrap();
            assert!(line["entered"]["BUY"][symbol].is_f64(), "{line}");
            let list = fixture.data(0, &format!("committee/list?market={market}"));
            let entry = &list["runs"][0];
            assert_eq!((&list["count"], &list["runs_left"]), (&json!(1), &json!(3)), "{list}");
            assert_eq!((&entry["job_id"], &entry["verdict"]), (&json!(job), &json!("BUY")), "{list}");
        }
        let wrong: Vec<_> = fixture.server.requests().into_iter().filter_map(|asked| asked.wrong).collect();
        assert_eq!(wrong, Vec::<String>::new(), "{spoken:?}");
    }
}

fn check_report(report: &Json, scan: &Json, symbol: &str, market: &str) {
    assert_eq!((&report["symbol"], &report["market"]), (&json!(symbol), &json!(market)));
    assert_eq!(report["as_of"], "2026-10-30");
    // The scripted analysts vote BUY, BUY, AVOID; the chair BUY.
    assert_eq!((&report["verdict"], &report["research_stance"]), (&json!("BUY"), &json!("accumulate")));
    assert_eq!(report["agreement_score"], json!(66.7), "{report}");
    assert_eq!(report["committee_signal"], scan["committee_signal"]);
    assert_eq!(report["departs_because"].is_null(), scan["committee_signal"] == "BUY", "{report}");
    let dissent = report["dissent"].as_array().unwrap();
    assert_eq!(
        (dissent.len(), &dissent[0]["lens"], &dissent[0]["vote"]),
        (1, &json!("value_safety"), &json!("AVOID"))
    );
    let lenses = report["lenses"].as_array().unwrap();
    assert_eq!(lenses.len(), 3);
    for (lens, scanned) in lenses.iter().zip(scan["lenses"].as_array().unwrap()) {
        assert_eq!((&lens["name"], &lens["gate_vote"]), (&scanned["name"], &scanned["vote"]));
        let passes = |lens: &Json| -> Vec<(Json, Json)> {
            lens["gates"].as_array().unwrap().iter().map(|g| (g["name"].clone(), g["pass"].clone())).collect()
        };
        assert_eq!(passes(lens), passes(scanned), "{lens}");
        assert!(lens["argument"].as_str().unwrap().contains("bears the idea out"), "{lens}");
    }
    let struck = report["unsupported_numbers"].as_array().unwrap();
    for place in ["summary", "lenses.quality_compounder.argument", "dissent.value_safety.argument"] {
        assert!(
            struck.iter().any(|struck| struck["where"] == place && struck["value"] == json!(987_654.25)),
            "{place}: {struck:?}"
        );
    }
    let mut shown = report.clone();
    shown["unsupported_numbers"] = Json::Null;
    assert!(!shown.to_string().contains(INVENTED), "{shown}");
}

#[test]
fn a_report_before_its_time_and_a_sixth_committee_are_refused_in_words() {
    let fixture = fixture(1);
    fixture.model.be(Mood::Silent);
    let (status, said) = fixture.refusal(0, "committee/start?symbol=FAQINETRAK&market=india");
    assert!(status == 404 && said.contains(INDIAN), "{status} {said}");
    let jobs: Vec<i64> = (0..5).map(|_| fixture.start_committee(0, INDIAN, "india")).collect();
    assert!(jobs.iter().all(|job| (1..1 << 53).contains(job)), "{jobs:?}");
    let sixth = fixture.get(0, "committee/start?symbol=FAQINETRAC&market=india");
    assert_eq!(sixth.status, 429);
    let after: i64 = sixth.header("retry-after").parse().unwrap();
    assert!((86_000..=86_400).contains(&after) && sixth.message().contains("5 runs"), "{}", sixth.message());
    assert_eq!(fixture.data(0, "presets/list")["runs_left"], 10, "presets have a limit of their own");
}

#[test]
fn the_report_of_a_committee_that_is_under_way_failed_or_was_cancelled_says_so() {
    let fixture = fixture(2);
    fixture.model.be(Mood::Silent);
    let report = |job: i64| {
        let (status, said) = fixture.refusal(0, &format!("committee/report?job_id={job}"));
        assert_eq!(status, 404, "{said}");
        said
    };
    let job = fixture.start_committee(0, INDIAN, "india");
    assert!(report(job).contains("is not done yet"), "{}", report(job));
    cancel(&fixture, job);
    assert!(report(job).contains("cancelled"), "{}", report(job));
    fixture.model.be(Mood::KeyRefused);
    let job = fixture.start_committee(0, INDIAN, "india");
    let run = wait_status("failed", || fixture.committee(0, job));
    let error = run["error"].as_str().unwrap();
    assert!(!error.contains(KEY) && error.contains("key"), "{error}");
    assert!(report(job).contains("failed"), "{}", report(job));
    // Failed and completed runs keep their status.
    assert_eq!(cancel(&fixture, job), words("failed", "unknown"));
    fixture.model.be(Mood::Good);
    let job = fixture.start_committee(0, INDIAN, "india");
    wait_status("completed", || fixture.committee(0, job));
    assert_eq!(cancel(&fixture, job), words("completed", "unknown"));
    assert_eq!(fixture.committee(0, job)["status"], "completed");
    assert_eq!(fixture.data(0, &format!("committee/report?job_id={job}"))["verdict"], "BUY");
}

#[test]
fn a_cancel_reaches_a_worker_that_works_and_finds_none_for_what_waits() {
    let fixture = fixture(1);
    fixture.model.replies_left(2);
    let working = fixture.start_committee(0, INDIAN, "india");
    wait_until("a step", || fixture.committee(0, working), |run| run["input_tokens"].as_i64() > Some(0));
    let waiting = fixture.start_committee(0, AMERICAN, "us");
    let listed = || fixture.data(0, "committee/list")["runs_left"].clone();
    assert_eq!(listed(), 3);
    assert_eq!(fixture.committee(0, waiting)["step"], "queued");
    assert_eq!(cancel(&fixture, waiting), words("cancelled", "unknown"));
    // A start counts, even if the run is cancelled before its first step.
    assert_eq!(listed(), 3);
    assert_eq!(cancel(&fixture, working), words("cancelled", "ok"));
    assert_eq!(listed(), 3);
    for (job, signal) in [(working, "ok"), (waiting, "unknown")] {
        assert_eq!(fixture.committee(0, job)["status"], "cancelled");
        assert_eq!(cancel(&fixture, job), words("cancelled", signal), "a second time");
    }
    // The only worker is free again.
    fixture.model.replies_left(i64::MAX);
    let next = fixture.start_committee(0, INDIAN, "india");
    wait_status("completed", || fixture.committee(0, next));
    assert_eq!(fixture.committee(0, working)["status"], "cancelled");
}

/// Work that begins and never ends.
struct StalledModel;

#[async_trait]
impl JobHandler for StalledModel {
    async fn run(&self, _: &Json, log: &dyn StepLog) -> Result<Json, WorkError> {
        log.progress(JobProgress { step: "stalled".to_owned(), agents_done: 0, agents: 1 }).await;
        std::future::pending().await
    }
}

#[test]
fn a_cancel_stands_where_the_worker_does_not_answer() {
    let fixture = fixture(0);
    let job = fixture.start_committee(0, INDIAN, "india");
    // Another server on the same file takes the job, and checks for cancellation only after an hour.
    let _inside = RUNTIME.enter();
    let settings = Settings { renew_interval: Duration::from_hours(1), lease_s: 7_200, ..fast_jobs() };
    let store = Arc::new(StateJobStore::open(&fixture.state()).unwrap());
    let clock = Arc::new(|| 1_793_341_800);
    let works: HashMap<String, Arc<dyn JobHandler>> =
        HashMap::from([(COMMITTEE.to_owned(), Arc::new(StalledModel) as _)]);
    let workers = Jobs::new(store, clock, settings).serve(works, 1);
    wait_until("the other server", || fixture.committee(0, job), |run| run["step"] == "stalled");
    assert_eq!(cancel(&fixture, job), words("cancelled", "failed"));
    assert_eq!(fixture.committee(0, job)["status"], "cancelled");
    assert_eq!(cancel(&fixture, job), words("cancelled", "failed"));
    assert_eq!(fixture.refusal(0, &format!("committee/report?job_id={job}")).0, 404);
    drop(workers);
}
