//! Lists of filings, and the documents that they name.

use chrono::TimeDelta;

use super::bench::{Bench, FILED, between, outcomes};
use super::host::{HostReaction, ReceivedRequest, reply};
use crate::{FetchOutcome, FetchRequest, RequestReason};

const LIST: &str = r#"{"cik":"0000000077","tickers":["ALFA"],"filings":{"recent":{
    "accessionNumber":["0000000077-26-000009","0000000077-26-000008","0000000077-26-000007","0000000077-25-000001"],
    "form":["8-K","10-Q","4","8-K"],
    "filingDate":["2026-06-30","2026-05-05","2026-05-04","2025-05-05"],
    "items":["2.02,9.01","","","2.02"],
    "primaryDocument":["a.htm","alfa-20260331.htm","b.xml","c.htm"],
    "size":[3000,900000,10,10]}}}"#;

const CURRENT: &str = "/data/77/0000000077-26-000009.txt";
const QUARTER: &str = "/data/77/000000007726000008/alfa-20260331.htm";

fn archive(seen: &ReceivedRequest) -> HostReaction {
    match seen.path.as_str() {
        "/submissions/CIK0000000077.json" => reply(200, LIST),
        CURRENT => reply(200, "<SEC-DOCUMENT>x.txt\n<TYPE>8-K\nResults\n</SEC-DOCUMENT>\n"),
        QUARTER => reply(200, "<html><body>A quarter</body></html>"),
        _ => reply(404, ""),
    }
}

/// A request for the filings of a spring.
fn spring() -> FetchRequest {
    FetchRequest { companies: vec!["77".to_owned()], ..between("2026-03-01", "2026-07-08") }
}

#[tokio::test]
async fn documents_are_taken_as_the_list_names_them() {
    let bench = Bench::for_source(("us/papers.toml", FILED), archive).await;
    assert_eq!(bench.fetcher().plan(&FetchRequest::default()).unwrap().items.len(), 0, "without a company");
    let plan = bench.fetcher().plan(&spring()).unwrap();
    assert!(plan.items.len() == 1 && plan.items[0].why == RequestReason::Page, "{plan:?}");
    // Sixteen a year: 129 days have five.
    assert_eq!(plan.bytes, 5_000);
    let report = bench.run(&spring()).await;
    assert_eq!(report.exit_code(), 0, "{report:?}");
    assert_eq!(bench.host.requested_paths(), ["/submissions/CIK0000000077.json", CURRENT, QUARTER]);
    let names = [
        "us/documents/ALFA/10-Q_000000007726000008_2026-05-05.htm",
        "us/documents/ALFA/8-K_000000007726000009_2026-06-30.txt",
    ];
    assert_eq!(bench.names(), names, "neither the list nor what is older");
    bench.clock.move_on(TimeDelta::hours(2));
    assert_eq!(bench.run(&spring()).await.ended.len(), 0);
    std::fs::remove_file(bench.raw().join(names[0])).unwrap();
    let plan = bench.fetcher().plan(&spring()).unwrap();
    assert_eq!(
        (plan.items.len(), plan.items[0].item.as_str()),
        (1, "ALFA/10-Q_000000007726000008_2026-05-05.htm")
    );
    bench.clock.move_on(TimeDelta::hours(20));
    let report = bench.run(&spring()).await;
    assert_eq!(report.ended.len(), 2, "the list may have more, and what was taken away comes again");
    assert_eq!(bench.names(), names);
}

#[tokio::test]
async fn documents_of_two_companies_are_each_requested_once() {
    let list = |seen: &ReceivedRequest| match seen.path.as_str() {
        "/submissions/CIK0000000078.json" => {
            reply(200, LIST.replace("ALFA", "BETA").replace("0000000077", "0000000078"))
        }
        path if path.starts_with("/data/78/") => reply(200, "<html>B</html>"),
        _ => archive(seen),
    };
    let bench = Bench::for_source(("us/papers.toml", FILED), list).await;
    let both = FetchRequest { companies: vec!["77".to_owned(), "78".to_owned()], ..spring() };
    assert_eq!(bench.run(&both).await.ended.len(), 6);
    let mut requested = bench.host.requested_paths();
    requested.sort();
    requested.dedup();
    assert_eq!((requested.len(), bench.names().len()), (6, 4));
}

#[tokio::test]
async fn what_is_no_list_and_what_refuses_says_so() {
    let bench = Bench::for_source(("us/papers.toml", FILED), |_| reply(200, "<html>Moved</html>")).await;
    let report = bench.run(&spring()).await;
    assert!(report.ended[0].line.why.contains("no list of filings"), "{report:?}");
    let walled = |seen: &ReceivedRequest| match seen.path.as_str() {
        CURRENT => reply(200, "<html>Request Rate Threshold Exceeded</html>"),
        _ => archive(seen),
    };
    let bench = Bench::for_source(("us/papers.toml", FILED), walled).await;
    let report = bench.run(&spring()).await;
    let found = outcomes(&report);
    assert!(
        found.contains(&("ALFA/8-K_000000007726000009_2026-06-30.txt".to_owned(), FetchOutcome::Blocked))
    );
    assert!(bench.names().iter().all(|name| name.contains("10-Q")));
}
