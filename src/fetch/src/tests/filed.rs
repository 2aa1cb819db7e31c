//! Lists of filings, and the documents that they name.

use chrono::TimeDelta;

use super::bench::{Bench, EVENING, FILED, SimulatedClock, between, outcomes};
use super::host::{Host, HostReaction, ReceivedRequest, reply};
use crate::{FetchOutcome, FetchRequest, RequestReason, SourceCatalogue};

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
    bench.clock.advance(TimeDelta::hours(2));
    assert_eq!(bench.run(&spring()).await.finished.len(), 0);
    std::fs::remove_file(bench.raw().join(names[0])).unwrap();
    let plan = bench.fetcher().plan(&spring()).unwrap();
    assert_eq!(
        (plan.items.len(), plan.items[0].item.as_str()),
        (1, "ALFA/10-Q_000000007726000008_2026-05-05.htm")
    );
    bench.clock.advance(TimeDelta::hours(20));
    let report = bench.run(&spring()).await;
    assert_eq!(report.finished.len(), 2, "the list may have more, and what was taken away comes again");
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
    assert_eq!(bench.run(&both).await.finished.len(), 6);
    let mut requested = bench.host.requested_paths();
    requested.sort();
    requested.dedup();
    assert_eq!((requested.len(), bench.names().len()), (6, 4));
}

#[tokio::test]
async fn what_is_no_list_and_what_refuses_says_so() {
    let bench = Bench::for_source(("us/papers.toml", FILED), |_| reply(200, "<html>Moved</html>")).await;
    let report = bench.run(&spring()).await;
    assert!(report.finished[0].line.why.contains("no list of filings"), "{report:?}");
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

/// Lists of the filings of a trust: two reports, an amendment, another form, and a report before the first day.
const TRUST_LIST: &str = r#"{"cik":"CIK","tickers":["TICKER"],"filings":{"recent":{
    "accessionNumber":["CIK-26-000004","CIK-26-000003","CIK-26-000002","CIK-26-000001","CIK-19-000001"],
    "form":["NPORT-P/A","497","NPORT-P","NPORT-P","NPORT-P"],
    "filingDate":["2026-06-10","2026-06-09","2026-05-29","2026-02-27","2019-08-30"],
    "primaryDocument":["xslFormNPORT-P_X01/primary_doc.xml","d497.htm","xslFormNPORT-P_X01/primary_doc.xml","","primary_doc.xml"]}}}"#;

fn trusts(seen: &ReceivedRequest) -> HostReaction {
    let holdings = "<?xml version=\"1.0\"?><edgarSubmission><headerData><submissionType>NPORT-P</submissionType></headerData></edgarSubmission>";
    let trusts = [("0000884394", "SPY"), ("0001067839", "QQQ"), ("0001041130", "DIA")];
    let list = trusts.iter().find(|(cik, _)| seen.path == format!("/submissions/CIK{cik}.json"));
    match list {
        Some((cik, ticker)) => reply(200, TRUST_LIST.replace("CIK", cik).replace("TICKER", ticker)),
        None if seen.path.ends_with("26000004/primary_doc.xml") => {
            reply(200, holdings.replace("NPORT-P", "NPORT-P/A"))
        }
        None if seen.path.ends_with("26000002/primary_doc.xml") => reply(200, holdings),
        None if seen.path.ends_with("-26-000001.txt") => {
            reply(200, format!("<SEC-DOCUMENT>x.txt\nNPORT-P\n<XML>{holdings}</XML>\n</SEC-DOCUMENT>\n"))
        }
        None => reply(404, ""),
    }
}

#[tokio::test]
async fn the_holdings_of_index_funds_are_taken_by_the_lists_of_their_trusts() {
    let clock = SimulatedClock::at(EVENING);
    let host = Host::start(clock.clone(), trusts).await;
    let mut bench = Bench::with(SourceCatalogue::embedded().unwrap(), clock, host);
    let request =
        FetchRequest { sources: vec!["fund_holdings".to_owned()], ..between("2019-01-01", "2026-07-08") };
    assert!(bench.fetcher().plan(&request).unwrap().items.is_empty(), "the SEC wants a contact");
    bench.settings.contact = Some("Asha Rao asha@firm.in".to_owned());
    let plan = bench.fetcher().plan(&request).unwrap();
    let items: Vec<&str> = plan.items.iter().map(|item| item.item.as_str()).collect();
    assert_eq!(items, ["list 0000884394", "list 0001041130", "list 0001067839"]);
    assert!(plan.items.iter().all(|item| item.why == RequestReason::Page && item.source.by_default));
    // Four a year since September 2019: 2,502 days have 27.
    assert_eq!(plan.bytes, 3 * 27 * 700_000);
    assert_eq!(bench.host.log().len(), 0);
    let report = bench.run(&request).await;
    assert_eq!((report.exit_code(), report.finished.len()), (0, 12), "{report:?}");
    let of_trust = |(ticker, cik): (&str, &str)| {
        ["-A_CIK26000004_2026-06-10.xml", "_CIK26000001_2026-02-27.txt", "_CIK26000002_2026-05-29.xml"]
            .map(|name| format!("us/sec/fund_holdings/{ticker}/NPORT-P{}", name.replace("CIK", cik)))
    };
    let trusts = [("DIA", "0001041130"), ("QQQ", "0001067839"), ("SPY", "0000884394")];
    assert_eq!(bench.names(), trusts.map(of_trust).concat());
    let paths = bench.host.requested_paths();
    let holdings = "/Archives/edgar/data/884394/000088439426000002/primary_doc.xml".to_owned();
    assert!(paths.contains(&holdings), "{paths:?}");
    bench.clock.advance(TimeDelta::days(2));
    assert_eq!(bench.run(&request).await.finished.len(), 0, "the lists are fresh");
    bench.clock.advance(TimeDelta::days(5));
    assert_eq!(bench.run(&request).await.finished.len(), 3, "the lists may have more");
}
