//! The content of a reply with status 200 decides its outcome.

use std::io::Write as _;

use chrono::TimeDelta;

use super::bench::{Bench, DAY, EVENING, catalogue_of, day_file, day_in_path, on_day, zipped};
use super::host::{reply, reply_with};
use crate::FetchOutcome;

/// Returns outcome and reason for a body, requested on the evening of Wednesday 8 July.
async fn judged(source: &str, body: impl Into<Vec<u8>>) -> (FetchOutcome, String) {
    let body = body.into();
    let bench = Bench::for_source(("india/day.toml", source), move |_| reply(200, body.clone())).await;
    let line = bench.run_day("2026-07-08").await;
    assert_eq!(
        bench.names().len(),
        usize::from(line.outcome == FetchOutcome::Ok),
        "only good files are laid there: {line:?}"
    );
    (line.outcome, line.why)
}

#[tokio::test]
async fn a_good_file_is_in_its_place_and_on_record() {
    let bench = Bench::for_source(("india/day.toml", DAY), |_| reply(200, day_file("2026-07-08"))).await;
    let line = bench.run_day("2026-07-08").await;
    assert_eq!(
        (line.outcome, line.rows, line.dated.unwrap().to_string().as_str()),
        (FetchOutcome::Ok, Some(4), "2026-07-08")
    );
    let bytes = day_file("2026-07-08").into_bytes();
    assert_eq!(line.blake3.as_deref(), Some(blake3::hash(&bytes).to_hex().as_str()));
    assert_eq!(bench.files(), [("india/day/2026/day_08072026.csv".to_owned(), bytes)]);
    assert!(!bench.state_text().contains(".part\n"), "nothing of the way is left");
}

#[tokio::test]
async fn bytes_tell_what_a_status_does_not() {
    let truncated = format!("{}EEE, 08-Jul", day_file("2026-07-08"));
    let more = day_file("2026-07-08").replace("CLOSE", "CLOSE, SERIES").replace("10.5", "10.5, EQ");
    for (body, outcome, words) in [
        (day_file("2026-07-07"), FetchOutcome::Stale, "it holds 2026-07-07"),
        (day_file("2026-07-09"), FetchOutcome::Drifted, "a later day"),
        ("<html><body>No such file</body></html>".to_owned(), FetchOutcome::NotYet, "a page came"),
        ("\n <!DOCTYPE html><title>Access Denied</title>".to_owned(), FetchOutcome::Blocked, "refuses"),
        (String::new(), FetchOutcome::NotYet, "it is empty"),
        ("{\"data\":[]}".to_owned(), FetchOutcome::NotYet, "an empty answer"),
        ("SYMBOL, DATE1, CLOSE\n".to_owned(), FetchOutcome::NotYet, "it has no row"),
        (
            day_file("2026-07-08").replace("CLOSE", "LAST"),
            FetchOutcome::Drifted,
            "it lacks the columns CLOSE",
        ),
        (more, FetchOutcome::Ok, ""),
        (truncated, FetchOutcome::Failed, "its last row is cut"),
        (
            day_file("2026-07-08").lines().take(3).collect::<Vec<_>>().join("\n"),
            FetchOutcome::Failed,
            "it has 2 rows",
        ),
        ("PK\u{3}\u{4}workbook".to_owned(), FetchOutcome::Drifted, "an archive or a workbook"),
        ("SYMBOL, DATE1\0, CLOSE\n".to_owned(), FetchOutcome::Drifted, "it is not text"),
    ] {
        let (found, why) = judged(DAY, body.clone()).await;
        assert!(found == outcome && why.contains(words), "{body}: {found} ({why})");
    }
}

fn bundle() -> String {
    let expect = "magic = \"zip\"\nmember = \"pr\"\nmember_date = true\nheader = [\"SYMBOL\"]\nrows = 2\n";
    let head = DAY.split("[expect]").next().unwrap().replace(".csv", ".zip");
    format!("{head}[expect]\n{expect}")
}

#[tokio::test]
async fn archives_are_read_through() {
    let rows = day_file("2026-07-08");
    let good = zipped(&[("readme.txt", "x"), ("Pr080726.csv", &rows), ("bc080726.csv", "x")]);
    assert_eq!(judged(&bundle(), good.clone()).await.0, FetchOutcome::Ok);
    // Flips one bit in the last member's bytes.
    let mut damaged = good.clone();
    let at = damaged.windows(12).position(|name| name == b"Pr080726.csv").unwrap() + 20;
    damaged[at] ^= 1;
    for (body, outcome, words) in [
        (zipped(&[("pr07072026.csv", &rows)]), FetchOutcome::Stale, "it holds 2026-07-07"),
        (zipped(&[("bc080726.csv", &rows)]), FetchOutcome::Drifted, "no member whose name begins with pr"),
        (damaged, FetchOutcome::Failed, ""),
        (good[..good.len() - 30].to_vec(), FetchOutcome::Failed, "the archive cannot be read"),
        (b"SYMBOL\n".to_vec(), FetchOutcome::Drifted, "it is not a zip archive"),
        (b"<html>".to_vec(), FetchOutcome::NotYet, "a page came"),
    ] {
        let (found, why) = judged(&bundle(), body).await;
        assert!(found == outcome && why.contains(words), "{words}: {found} ({why})");
    }
}

#[tokio::test]
async fn what_unpacks_without_end_is_refused() {
    let zeros = vec![b'0'; 2 << 20];
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    bomb.write_all(&zeros).unwrap();
    let bomb = bomb.finish().unwrap();
    let gzip = DAY.replace("magic = \"text\"", "magic = \"gzip\"").replace(".csv", ".csv.gz");
    let lines = gzip.replace("header = [\"SYMBOL\", \"DATE1\", \"CLOSE\"]\ndate = \"DATE1\"\n", "");
    let (outcome, why) = judged(&lines, bomb).await;
    assert!(outcome == FetchOutcome::Failed && why.contains("it unpacks to more than"), "{outcome} {why}");
    let text = String::from_utf8(zeros).unwrap();
    let bomb = zipped(&[("a.csv", "x"), ("pr080726.csv", &text)]);
    let (outcome, why) = judged(&bundle(), bomb).await;
    assert!(outcome == FetchOutcome::Failed && why.contains("unpack"), "{outcome} {why}");
}

#[tokio::test]
async fn a_body_without_end_and_one_that_is_packed_are_refused() {
    let source = DAY.replace("bytes = 1000", "bytes = 1000\nmost = 200_000");
    let bench = Bench::for_source(("india/day.toml", &source), |_| super::host::HostReaction::Endless).await;
    let line = bench.run_day("2026-07-08").await;
    assert!(
        line.outcome == FetchOutcome::Failed && line.why.contains("larger than 200000 bytes"),
        "{line:?}"
    );
    let bench = Bench::for_source(("india/day.toml", &source), |_| {
        reply_with(200, &[("Content-Length", "300000")], "x")
    })
    .await;
    assert!(bench.run_day("2026-07-08").await.why.contains("larger than"));
    let bench =
        Bench::for_source(("india/day.toml", DAY), |_| reply_with(200, &[("Content-Encoding", "gzip")], "x"))
            .await;
    let line = bench.run_day("2026-07-08").await;
    assert!(line.outcome == FetchOutcome::Failed && line.why.contains("compressed"), "{line:?}");
    assert_eq!(bench.names(), Vec::<String>::new());
}

#[tokio::test]
async fn a_holiday_is_decided_by_the_archive_and_remembered() {
    // The file of the 8th always contains the bytes of the 7th.
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| {
        let day = day_in_path(&seen.path).unwrap();
        reply(200, day_file(if day == "2026-07-08" { "2026-07-07" } else { &day }))
    })
    .await;
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Stale);
    assert_eq!(
        bench.run(&on_day("2026-07-08")).await.finished.len(),
        0,
        "what was answered is not asked again at once"
    );
    bench.clock.advance(TimeDelta::hours(3));
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Stale, "the day is not over");
    bench.clock.advance(TimeDelta::hours(24));
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Holiday);
    bench.clock.advance(TimeDelta::days(3));
    assert_eq!(bench.run(&on_day("2026-07-08")).await.finished.len(), 0, "it is remembered");
    assert_eq!(bench.names(), Vec::<String>::new());
    // Another source of the market has a file of the day.
    let other = bench.raw().join("india/mine");
    std::fs::create_dir_all(&other).unwrap();
    let bench = Bench {
        catalogue: catalogue_of(&[
            ("india/day.toml", DAY),
            ("india/second.toml", &DAY.replace("day_", "second_")),
        ]),
        ..bench
    };
    std::fs::write(other.join("second_08072026.csv"), "x").unwrap();
    let line = bench.run_day("2026-07-08").await;
    assert_eq!(line.outcome, FetchOutcome::Stale, "it was a session, so the file may yet come");
    bench.clock.advance(TimeDelta::days(3));
    let line = bench.run_day("2026-07-08").await;
    assert!(
        line.outcome == FetchOutcome::Failed
            && line.settled
            && line.why.contains("the market traded that day"),
        "{line:?}"
    );
    bench.clock.advance(TimeDelta::days(3));
    assert_eq!(bench.run(&on_day("2026-07-08")).await.finished.len(), 0);
}

#[tokio::test]
async fn what_is_not_out_yet_is_asked_for_again() {
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| match seen.before {
        0 => reply(404, "<html>Not found</html>"),
        _ => reply(200, day_file("2026-07-08")),
    })
    .await;
    bench.clock.set("2026-07-08T13:00:00Z");
    assert_eq!(
        bench.run(&on_day("2026-07-08")).await.finished.len(),
        0,
        "18:30 in India: it is not asked for before 19:00"
    );
    bench.clock.set(EVENING);
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::NotYet);
    assert_eq!(bench.run(&on_day("2026-07-08")).await.exit_code(), 0, "nothing was asked");
    bench.clock.advance(TimeDelta::hours(2));
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
    bench.clock.advance(TimeDelta::hours(2));
    assert_eq!(bench.run(&on_day("2026-07-08")).await.finished.len(), 0);
    assert_eq!(bench.host.log().len(), 2);
}

#[tokio::test]
async fn a_faulty_file_of_the_host_is_given_up_in_the_end() {
    let cut = format!("{}EEE, 01-Jun", day_file("2026-06-01"));
    let bench = Bench::for_source(("india/day.toml", DAY), move |_| reply(200, cut.clone())).await;
    let first = bench.run_day("2026-06-01").await;
    assert!(first.outcome == FetchOutcome::Failed && !first.settled);
    bench.clock.advance(TimeDelta::hours(2));
    assert!(bench.run_day("2026-06-01").await.settled, "the same bytes again");
    bench.clock.advance(TimeDelta::hours(2));
    assert_eq!(bench.run(&on_day("2026-06-01")).await.finished.len(), 0);
    let again = crate::FetchRequest { again: true, ..on_day("2026-06-01") };
    assert_eq!(bench.run(&again).await.finished.len(), 1);
}

#[tokio::test]
async fn an_archive_with_days_of_its_own_has_holidays_of_its_own() {
    // It contains no date and is not a core source: a day without a file is a holiday for it, even if the exchanges traded.
    let index = DAY
        .replace("day_", "index_")
        .replace("core = true\n", "")
        .replace("header = [\"SYMBOL\", \"DATE1\", \"CLOSE\"]\ndate = \"DATE1\"\n", "");
    let catalogue = catalogue_of(&[("india/day.toml", DAY), ("india/index.toml", &index)]);
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| match day_in_path(&seen.path) {
        Some(day) => reply(200, day_file(&day)),
        None => reply(404, ""),
    })
    .await;
    let bench = Bench { catalogue, ..bench };
    bench.clock.advance(TimeDelta::days(2));
    let report = bench.run(&on_day("2026-07-08")).await;
    assert_eq!(
        (report.count(FetchOutcome::Ok), report.count(FetchOutcome::Holiday), report.exit_code()),
        (1, 1, 0),
        "{report:?}"
    );
    bench.clock.advance(TimeDelta::days(9));
    assert_eq!(bench.run(&on_day("2026-07-08")).await.finished.len(), 0);
}
