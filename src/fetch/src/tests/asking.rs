//! Snapshots, corrections, links and windows: repeated requests, and the path of each copy.

use chrono::TimeDelta;

use super::bench::{Bench, DAY, LINKED, ROLLING, between, day, day_file, on_day, outcomes};
use super::host::{HostReaction, ReceivedRequest, file, reply, reply_with};
use crate::{FetchOutcome, FetchRequest};

#[tokio::test]
async fn every_distinct_copy_of_a_snapshot_is_kept_under_its_moment() {
    let bench = Bench::for_source(("india/bulk.toml", ROLLING), |seen| match seen.before {
        0 | 1 => reply(200, "DATE,SYMBOL\n07-JUL-2026,AAA\n"),
        2 => reply(200, "DATE,SYMBOL\n08-JUL-2026,BBB\n"),
        3 => reply(200, "DATE,SYMBOL\nNO RECORDS,\n"),
        4 => reply(200, "<html>maintenance</html>"),
        _ => reply(404, ""),
    })
    .await;
    let all = FetchRequest::default();
    for outcome in [
        FetchOutcome::Ok,
        FetchOutcome::Unchanged,
        FetchOutcome::Ok,
        FetchOutcome::Ok,
        FetchOutcome::Drifted,
        FetchOutcome::Drifted,
    ] {
        assert_eq!(outcomes(&bench.run(&all).await), [("-".to_owned(), outcome)]);
        assert_eq!(bench.run(&all).await.finished.len(), 0, "not again at once");
        bench.clock.advance(TimeDelta::hours(2));
    }
    // 20:30, 22:30, 00:30 and 02:30 in India.
    assert_eq!(
        bench.names(),
        [
            "india/deals/2026/bulk_20260708_203000.csv",
            "india/deals/2026/bulk_20260709_003000.csv",
            "india/deals/2026/bulk_20260709_023000.csv"
        ]
    );
}

#[tokio::test]
async fn a_copy_that_was_taken_away_comes_again() {
    let bench = Bench::for_source(("india/bulk.toml", ROLLING), |seen| {
        file(seen, b"DATE,SYMBOL\n07-JUL-2026,AAA\n", "\"a\"")
    })
    .await;
    let run = async || {
        bench.clock.advance(TimeDelta::hours(3));
        bench.run(&FetchRequest::default()).await.finished[0].line.clone()
    };
    assert_eq!(run().await.outcome, FetchOutcome::Ok);
    let again = run().await;
    assert_eq!((again.outcome, again.status, again.rows), (FetchOutcome::Unchanged, Some(304), Some(1)));
    std::fs::remove_dir_all(bench.raw().join("india")).unwrap();
    assert_eq!(run().await.outcome, FetchOutcome::Ok);
    assert_eq!(bench.names().len(), 1);
}

#[tokio::test]
async fn large_snapshots_are_looked_at_by_their_headers_and_replace_each_other() {
    let source = ROLLING.replace("every = \"2 hours\"", "every = \"2 hours\"\nhead = true\nkeep = 1");
    let bench = Bench::for_source(("india/bulk.toml", &source), |seen| {
        let version = if seen.before < 3 { "a" } else { "b" };
        file(seen, format!("DATE,SYMBOL\n07-JUL-2026,{version}\n").as_bytes(), &format!("\"{version}\""))
    })
    .await;
    for outcome in [FetchOutcome::Ok, FetchOutcome::Unchanged, FetchOutcome::Unchanged, FetchOutcome::Ok] {
        assert_eq!(outcomes(&bench.run(&FetchRequest::default()).await), [("-".to_owned(), outcome)]);
        bench.clock.advance(TimeDelta::hours(2));
    }
    assert_eq!(
        bench.host.requested_paths(),
        ["/bulk.csv", "HEAD /bulk.csv", "HEAD /bulk.csv", "HEAD /bulk.csv", "/bulk.csv"]
    );
    assert_eq!(bench.names(), ["india/deals/2026/bulk_20260709_023000.csv"], "one copy is kept");
}

#[tokio::test]
async fn a_corrected_file_is_kept_beside_the_first() {
    let corrected = day_file("2026-07-08").replace("10.5", "11.5");
    let bench = Bench::for_source(("india/day.toml", DAY), move |seen| match seen.before {
        0 | 1 => file(seen, day_file("2026-07-08").as_bytes(), "\"a\""),
        _ => file(seen, corrected.as_bytes(), "\"b\""),
    })
    .await;
    let request = on_day("2026-07-08");
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
    bench.clock.advance(TimeDelta::days(1));
    assert_eq!(bench.run(&request).await.finished.len(), 0);
    bench.clock.advance(TimeDelta::days(2));
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Unchanged);
    bench.clock.advance(TimeDelta::days(3));
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
    bench.clock.advance(TimeDelta::days(3));
    assert_eq!(bench.run(&request).await.finished.len(), 0, "the time of corrections is over");
    let path = "/day_08072026.csv";
    assert_eq!(bench.host.requested_paths(), [path, &format!("HEAD {path}"), &format!("HEAD {path}"), path]);
    // The later copy sorts after the first with the same date.
    assert_eq!(
        bench.names(),
        ["india/day/2026/day_08072026.csv", "india/day/2026/zz_corrected_20260714_203000/day_08072026.csv"]
    );
}

#[tokio::test]
async fn a_host_without_head_is_asked_for_the_file() {
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| match seen.method.as_str() {
        "HEAD" => reply(405, ""),
        _ => reply(200, day_file("2026-07-08")),
    })
    .await;
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
    bench.clock.advance(TimeDelta::days(3));
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Unchanged);
    assert_eq!(bench.names().len(), 1);
}

fn sets(seen: &ReceivedRequest) -> HostReaction {
    match seen.path.as_str() {
        "/sets" => reply(
            200,
            r#"<html><a href="/old/2026q1_form345.zip">a</a><a href="/moved/2026q2_form345.zip">b</a>
               <a href="https://other.test/2025q4_form345.zip">c</a></html>"#,
        ),
        "/old/2026q1_form345.zip" | "/moved/2026q2_form345.zip" => reply(200, "rows\nof a set\n"),
        _ => reply(404, ""),
    }
}

#[tokio::test]
async fn files_behind_links_are_taken_from_where_the_page_says() {
    let bench = Bench::for_source(("us/sets.toml", LINKED), sets).await;
    let report = bench.run(&between("2006-01-01", "2026-07-08")).await;
    assert_eq!(report.exit_code(), 0, "{report:?}");
    assert_eq!(
        bench.host.requested_paths(),
        ["/sets", "/moved/2026q2_form345.zip", "/old/2026q1_form345.zip"],
        "the newest first"
    );
    assert_eq!(bench.names(), ["us/sec/insiders/2026q1_form345.zip", "us/sec/insiders/2026q2_form345.zip"]);
    assert_eq!(
        bench.run(&between("2006-01-01", "2026-07-08")).await.finished.len(),
        0,
        "the page is as good as new"
    );
    // Published again within its correction period: requested by its headers, and saved in addition to the first.
    bench.clock.advance(TimeDelta::days(4));
    let report = bench.run(&between("2006-01-01", "2026-07-12")).await;
    assert_eq!(
        outcomes(&report),
        [("page".to_owned(), FetchOutcome::Ok), ("2026q2_form345.zip".to_owned(), FetchOutcome::Unchanged)]
    );
}

#[tokio::test]
async fn a_page_that_moved_or_changed_says_so() {
    for (act, words) in [
        (reply(200, "<html><a href='/x.pdf'>nothing</a></html>"), "no link to a file like"),
        (reply(404, ""), "last seen to live on 2026-07-01"),
    ] {
        let bench = Bench::for_source(("us/sets.toml", LINKED), move |_| act.clone()).await;
        let report = bench.run(&FetchRequest::default()).await;
        let line = &report.finished[0].line;
        assert!(line.outcome == FetchOutcome::Drifted && line.why.contains(words), "{line:?}");
        assert_eq!(bench.run(&FetchRequest::default()).await.finished.len(), 0);
    }
}

#[tokio::test]
async fn what_a_person_laid_there_is_not_asked_for() {
    let bench = Bench::for_source(("india/day.toml", DAY), |_| reply_with(500, &[], "")).await;
    let mine = bench.raw().join("india/by hand");
    std::fs::create_dir_all(&mine).unwrap();
    std::fs::write(mine.join("DAY_08072026.csv"), day_file("2026-07-08")).unwrap();
    bench.clock.advance(TimeDelta::days(4));
    assert_eq!(bench.run(&on_day("2026-07-08")).await.finished.len(), 0);
    let list = bench.fetcher().list(&FetchRequest::default()).unwrap();
    assert_eq!((list[0].newest, list[0].last), (Some(day("2026-07-08")), None));
}
