//! Truncated bodies are resumed if and only if the host still has the same version.

use std::time::Duration;

use super::bench::{Bench, DAY, day_file, on_day};
use super::host::{HostReaction, file, reply, reply_with};
use crate::FetchOutcome;

/// A body that is long enough to be truncated at several points.
fn body() -> String {
    let mut body = day_file("2026-07-08");
    for n in 0..3_000 {
        body.extend(["SYM", &n.to_string(), ", 08-Jul-2026, 1\n"]);
    }
    body
}

fn cut(etag: Option<&str>, at: usize) -> HostReaction {
    let headers = etag.map(|etag| ("ETag".to_owned(), etag.to_owned())).into_iter().collect();
    HostReaction::Cut(200, headers, body().into_bytes(), at)
}

#[tokio::test]
async fn a_cut_body_goes_on_where_it_ended() {
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| match seen.before {
        0 => cut(Some("\"a\""), 10_000),
        _ => file(seen, body().as_bytes(), "\"a\""),
    })
    .await;
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
    let log = bench.host.log();
    assert_eq!(log.len(), 2);
    assert_eq!((log[1].header("range"), log[1].header("if-range")), (Some("bytes=10000-"), Some("\"a\"")));
    assert_eq!(bench.files()[0].1, body().into_bytes());
}

#[tokio::test]
async fn without_a_version_it_begins_again() {
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| match seen.before {
        0 => cut(None, 10_000),
        1 => cut(Some("W/\"weak\""), 10_000),
        _ => reply(200, body()),
    })
    .await;
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
    assert!(bench.host.log().iter().all(|seen| seen.header("range").is_none()));
    assert_eq!(bench.files()[0].1, body().into_bytes());
}

#[tokio::test]
async fn another_version_is_taken_whole() {
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| match seen.before {
        0 => HostReaction::Cut(200, vec![("ETag".into(), "\"old\"".into())], vec![b'z'; 50_000], 10_000),
        _ => file(seen, body().as_bytes(), "\"new\""),
    })
    .await;
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
    assert_eq!(bench.files()[0].1, body().into_bytes());
}

#[tokio::test]
async fn a_rest_that_does_not_fit_is_thrown_away() {
    let total = body().len();
    // The host serves the range with another version, then with a wrong start, then with a wrong total length.
    for (etag, range) in [
        ("\"b\"", format!("bytes 10000-{}/{total}", total - 1)),
        ("\"a\"", format!("bytes 9000-{}/{total}", total - 1)),
        ("\"a\"", format!("bytes 10000-{}/{}", total + 5, total + 6)),
    ] {
        let etag = etag.to_owned();
        let bench = Bench::for_source(("india/day.toml", DAY), move |seen| match seen.before {
            0 => cut(Some("\"a\""), 10_000),
            1 => {
                reply_with(206, &[("ETag", &etag), ("Content-Range", &range)], &body().into_bytes()[10_000..])
            }
            _ => reply(200, body()),
        })
        .await;
        assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
        assert_eq!(bench.host.log().len(), 3);
        assert_eq!(bench.files()[0].1, body().into_bytes());
    }
}

#[tokio::test]
async fn a_part_that_is_whole_already_is_not_asked_for_again() {
    // The host states a length that is too long, so that the complete body looks truncated.
    let total = body().len();
    let bench = Bench::for_source(("india/day.toml", DAY), move |seen| match seen.before {
        0 => reply_with(200, &[("ETag", "\"a\""), ("Content-Length", &(total + 100).to_string())], body()),
        _ => reply_with(416, &[("Content-Range", &format!("bytes */{total}"))], ""),
    })
    .await;
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
    assert_eq!(bench.host.log()[1].header("range"), Some(format!("bytes={total}-").as_str()));
    assert_eq!(bench.files()[0].1, body().into_bytes());
}

#[tokio::test]
async fn what_is_cut_three_times_goes_on_in_the_next_run() {
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| {
        let whole = body().into_bytes();
        let from: usize = seen.header("range").map_or(0, |range| range[6..range.len() - 1].parse().unwrap());
        let headers = vec![("ETag".to_owned(), "\"a\"".to_owned())];
        if seen.before >= 3 {
            return file(seen, &whole, "\"a\"");
        }
        if from == 0 {
            return HostReaction::Cut(200, headers, whole, 8_000);
        }
        let range = format!("bytes {from}-{}/{}", whole.len() - 1, whole.len());
        let headers = [headers, vec![("Content-Range".to_owned(), range)]].concat();
        HostReaction::Cut(206, headers, whole[from..].to_vec(), 8_000)
    })
    .await;
    let line = bench.run_day("2026-07-08").await;
    assert!(line.outcome == FetchOutcome::Failed && !line.answered && line.why.contains("cut"), "{line:?}");
    assert_eq!(bench.names(), Vec::<String>::new());
    // The request was not answered, so it is repeated at once.
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
    assert_eq!(bench.host.log()[3].header("range"), Some("bytes=24000-"));
    assert_eq!(bench.files()[0].1, body().into_bytes());
}

#[tokio::test]
async fn a_slow_drip_and_a_silent_host_are_given_up() {
    let bench = Bench::for_source(("india/day.toml", DAY), |_| {
        HostReaction::Drip(body().into_bytes(), Duration::from_millis(20))
    })
    .await;
    let line = bench.run_day("2026-07-08").await;
    assert!(line.outcome == FetchOutcome::Failed && line.why.contains("too slowly"), "{line:?}");
    assert_eq!(bench.host.log().len(), 3);
    let bench = Bench::for_source(("india/day.toml", DAY), |_| HostReaction::Silence).await;
    let line = bench.run_day("2026-07-08").await;
    assert!(line.outcome == FetchOutcome::Failed && line.why.contains("no reply came in time"), "{line:?}");
    assert_eq!(bench.run(&on_day("2026-07-08")).await.exit_code(), 1);
}
