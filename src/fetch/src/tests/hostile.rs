//! A malicious host: every reply leads to a reported failure within limits of bytes and time, leaves no raw file, and delays no other host.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::TimeDelta;

use super::bench::{
    Bench, CallRecorder, DAY, EVENING, LINKED, SimulatedClock, catalogue_of, day_file, on_day,
};
use super::host::{Host, HostReaction, reply, reply_with};
use crate::{FetchOutcome, FetchReport, FetchRequest, ManifestLine};

/// More time than any malicious reply may take, with three attempts, on a busy machine.
const LONG: Duration = Duration::from_secs(20);

/// Runs one request to a hostile host and one to a good host, and returns the report.
async fn beside_a_good_host(source: &str, request: &FetchRequest, act: HostReaction) -> (Bench, FetchReport) {
    let good = DAY.replace("files.test", "strict.test").replace("day_", "good_");
    let catalogue = catalogue_of(&[("india/day.toml", source), ("india/good.toml", &good)]);
    let clock = SimulatedClock::at(EVENING);
    let host = Host::start(clock.clone(), move |seen| {
        if seen.path.contains("good_") { reply(200, day_file("2026-07-08")) } else { act.clone() }
    })
    .await;
    let mut bench = Bench::with(catalogue, clock, host);
    bench.settings.contact = Some("Asha Rao asha@firm.in".to_owned());
    let fetcher = bench.fetcher();
    let group = Arc::clone(fetcher.catalogue().groups().find(|group| group.name == "strict").unwrap());
    fetcher.consent(&group).unwrap();
    let began = Instant::now();
    let report = fetcher.run(request, &CallRecorder::default()).await.unwrap();
    assert!(began.elapsed() < LONG, "{:?}: {report:?}", began.elapsed());
    assert_eq!(bench.names(), ["india/day/2026/good_08072026.csv"], "{report:?}");
    (bench, report)
}

/// Returns the line of the hostile host's file.
async fn ended(source: &str, act: HostReaction) -> ManifestLine {
    let (_, report) = beside_a_good_host(source, &on_day("2026-07-08"), act).await;
    let mut lines = report.finished.into_iter().map(|ended| ended.line);
    lines.find(|line| line.source == "day").unwrap()
}

fn redirect_to(to: &str) -> HostReaction {
    reply_with(302, &[("Location", to)], "")
}

/// The head of a good reply, followed by these bytes repeatedly.
fn endless_reply(head: &str, again: &[u8]) -> HostReaction {
    let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n{head}");
    HostReaction::Again(head.into_bytes(), again.repeat(1_000), Duration::ZERO)
}

#[tokio::test]
async fn each_trap_ends_in_words_and_holds_up_no_other_host() {
    let bounded = DAY.replace("bytes = 1000", "bytes = 1000\nmost = 200_000");
    let many = "X-One: y\r\n".repeat(1_000_000);
    let unended = format!("SYMBOL, DATE1, CLOSE\n{}", ",".repeat(9 << 20));
    let steadily =
        HostReaction::Again(b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b'x'; 100], Duration::from_millis(20));
    for (what, act, words) in [
        ("a body without end", HostReaction::Endless, "larger than 200000 bytes"),
        ("a drip", HostReaction::Drip(vec![b'x'; 1_000], Duration::from_millis(20)), "too slowly"),
        ("a steady stream", steadily, "it had not come whole after 0.3 s"),
        ("silence", HostReaction::Silence, "no reply came in time"),
        (
            "replies before the reply",
            HostReaction::Again(Vec::new(), b"HTTP/1.1 100 Continue\r\n\r\n".to_vec(), Duration::ZERO),
            "no reply",
        ),
        (
            "a million headers",
            HostReaction::Raw(format!("HTTP/1.1 200 OK\r\n{many}\r\n").into_bytes()),
            "the request failed",
        ),
        ("headers without end", endless_reply("", b"X-One: more\r\n"), "the request failed"),
        ("a header without end", endless_reply("X-One: ", b"xxxxxxxxxxxxxxxx"), "the request failed"),
        (
            "a chunk whose head has no end",
            endless_reply("Transfer-Encoding: chunked\r\n\r\n1;", b"aaaaaaaa"),
            "the body was cut",
        ),
        (
            "trailers without end",
            endless_reply("Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-One: more\r\n"),
            "",
        ),
        ("a negative length", reply_with(200, &[("Content-Length", "-5")], "x"), "the request failed"),
        (
            "two lengths",
            reply_with(200, &[("Content-Length", "5"), ("Content-Length", "6")], "xxxxxx"),
            "the request failed",
        ),
        (
            "a length beyond the body",
            reply_with(200, &[("Content-Length", "100000")], "x"),
            "the body was cut",
        ),
        (
            "a length beyond all bounds",
            reply_with(200, &[("Content-Length", "18446744073709551615")], "x"),
            "",
        ),
        ("no HTTP", HostReaction::Raw(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()), "the request failed"),
        (
            "a range that nobody asked for",
            reply_with(206, &[("Content-Range", "bytes 0-0/1")], "x"),
            "the status 206",
        ),
        ("a status that is none", reply(799, "x"), "the status 799"),
        (
            "another host",
            redirect_to("http://169.254.169.254/latest/meta-data/"),
            "another host, 169.254.169.254",
        ),
        ("a file of this machine", redirect_to("file:///etc/passwd"), "an address without a host"),
        ("another port of the host", redirect_to("http://127.0.0.1:1/x"), "another host, 127.0.0.1"),
        ("a name without end", redirect_to(&format!("http://{}/", "x".repeat(60_000))), "another host, xxx"),
        ("a circle", redirect_to("/day_1.csv"), "in a circle"),
        ("an address that is none", redirect_to("http://["), "redirects to no address"),
        ("a page", reply(200, "<html><body>day</body></html>"), "a page came"),
    ] {
        let line = ended(&bounded, act).await;
        assert!(line.outcome != FetchOutcome::Ok && line.why.contains(words), "{what}: {line:?}");
        assert!(!line.why.is_empty() && line.why.len() < 300, "{what}: {line:?}");
    }
    let line = ended(DAY, reply(200, unended)).await;
    assert!(line.why.contains("a row of it is longer than"), "{line:?}");
}

#[tokio::test]
async fn a_host_that_asks_for_ten_years_is_asked_again_the_next_day() {
    for years in ["315360000", "18446744073709551615", "Tue, 08 Jul 2036 15:00:00 GMT"] {
        for status in [429, 503] {
            let act =
                reply_with(status, &[("Retry-After", years), ("Date", "Wed, 08 Jul 2026 15:00:00 GMT")], "");
            let (bench, report) = beside_a_good_host(DAY, &on_day("2026-07-08"), act).await;
            let before = bench.host.requested_paths().len();
            assert!(report.closed[0].why.contains("no request before 2026-07-09"), "{years}: {report:?}");
            bench.clock.advance(TimeDelta::hours(23));
            bench.run(&on_day("2026-07-08")).await;
            assert_eq!(bench.host.requested_paths().len(), before, "{years}");
            bench.clock.advance(TimeDelta::hours(2));
            bench.run(&on_day("2026-07-08")).await;
            assert!(bench.host.requested_paths().len() > before, "{years}");
        }
    }
}

#[tokio::test]
async fn a_page_is_read_as_far_as_a_page_goes() {
    let link = "<a href=\"/files/2026q2_form345.zip\">x</a>";
    let act = endless_reply("\r\n", link.as_bytes());
    let source = LINKED.replace("us/", "india/") + "";
    let request = FetchRequest { sources: vec!["day".to_owned(), "good".to_owned()], ..on_day("2026-07-08") };
    let (_, report) = beside_a_good_host(&source, &request, act).await;
    let page = report.finished.iter().find(|ended| ended.line.item == "page").unwrap();
    assert!(page.line.why.contains("larger than 8388608 bytes"), "{page:?}");
}
