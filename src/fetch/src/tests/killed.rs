//! A run that is killed at any time and restarted produces the same files, and repeats no answered request.
//!
//! Runs are interrupted in two ways: by dropping them between two steps, and by killing a process of this test binary at a random time.

use std::collections::BTreeSet;
use std::fs;
use std::future::Future as _;
use std::path::Path;
use std::pin::pin;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use chrono::TimeDelta;
use url::Url;

use super::bench::{
    Bench, CallRecorder, DAY, EVENING, LINKED, ROLLING, SimulatedClock, between, catalogue_of, day_file,
    day_in_path,
};
use super::host::{Host, HostReaction, ReceivedRequest, file, reply};
use crate::{
    FetchClock as _, FetchReport, FetchRequest, FetchSettings, Fetcher, Folders, ManifestLine, Proxy,
    SourceCatalogue,
};

fn catalogue() -> SourceCatalogue {
    let bulk = ROLLING.replace("2 hours", "8 hours");
    catalogue_of(&[("india/day.toml", DAY), ("india/bulk.toml", &bulk), ("us/sets.toml", LINKED)])
}

fn request() -> FetchRequest {
    between("2026-06-22", "2026-07-08")
}

/// The same replies at all times: days, holidays, pages, refusals, and long bodies.
fn script(seen: &ReceivedRequest) -> HostReaction {
    let Some(day) = day_in_path(&seen.path) else {
        return match seen.path.as_str() {
            "/bulk.csv" => file(seen, b"DATE,SYMBOL\n08-JUL-2026,AAA\n", "\"bulk\""),
            "/sets" => {
                reply(200, "<a href='/x/2026q2_form345.zip'>a</a><a href='/x/2026q1_form345.zip'>b</a>")
            }
            _ => file(seen, &vec![b'x'; 300_000], "\"set\""),
        };
    };
    match day.as_str() {
        "2026-06-25" => reply(404, "<html>Not found</html>"),
        "2026-07-01" => reply(200, day_file("2026-06-30")),
        "2026-07-03" => reply(200, day_file("2026-07-03").replace("CLOSE", "LAST")),
        _ => {
            let mut body = day_file(&day);
            let cell = super::bench::day(&day).format("%d-%b-%Y").to_string();
            for n in 0..4_000 {
                body.extend(["SYM", &n.to_string(), ", ", &cell, ", 1\n"]);
            }
            file(seen, body.as_bytes(), &format!("\"{day}\""))
        }
    }
}

/// Returns the files, with names without the time of capture.
fn content(bench: &Bench) -> Vec<(String, Vec<u8>)> {
    let plain = |name: String| if name.contains("bulk_") { "bulk".to_owned() } else { name };
    bench.files().into_iter().map(|(name, bytes)| (plain(name), bytes)).collect()
}

/// Returns the paths whose replies are recorded: in the manifest, or as complete downloads.
fn recorded_paths(raw: &Path) -> BTreeSet<String> {
    let path = |url: &str| Url::parse(url).unwrap().path().to_owned();
    let manifest = fs::read_to_string(raw.join(".fetch/manifest.jsonl")).unwrap_or_default();
    let lines = manifest.lines().filter_map(|line| serde_json::from_str::<ManifestLine>(line).ok());
    let mut recorded: BTreeSet<String> =
        lines.filter(|line| line.answered).map(|line| path(&line.url)).collect();
    for note in fs::read_dir(raw.join(".fetch/parts")).into_iter().flatten() {
        let text = fs::read_to_string(note.unwrap().path()).unwrap_or_default();
        if let Ok(note) = serde_json::from_str::<serde_json::Value>(&text)
            && note["complete"] == true
        {
            recorded.insert(path(note["url"].as_str().unwrap()));
        }
    }
    recorded
}

async fn bench() -> Bench {
    let clock = SimulatedClock::at(EVENING);
    let host = Host::start(clock.clone(), script).await;
    let mut bench = Bench::with(catalogue(), clock, host);
    bench.settings.contact = Some(contact(0));
    bench
}

fn contact(run: usize) -> String {
    format!("Run r{run}@files.in")
}

/// Checks that a run requests nothing that was recorded before it.
fn check_nothing_repeated(bench: &Bench, run: usize, recorded: &BTreeSet<String>) {
    let log = bench.host.log();
    let is_of_run =
        |seen: &&ReceivedRequest| seen.header("user-agent").is_some_and(|name| name.ends_with(&contact(run)));
    for seen in log.iter().filter(is_of_run) {
        assert!(!recorded.contains(&seen.path), "{} was answered before: {}", seen.path, bench.state_text());
    }
}

/// A deterministic pseudo-random sequence.
struct RandomSequence(u64);

impl RandomSequence {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// Polls a run for a number of steps; returns the report if it ended within them.
async fn run_for(fetcher: &Fetcher, steps: u64) -> Option<FetchReport> {
    let (request, progress) = (request(), CallRecorder::default());
    let mut run = pin!(fetcher.run(&request, &progress));
    let mut left = steps;
    std::future::poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        run.as_mut().poll(context).map(|report| Some(report.unwrap()))
    })
    .await
}

#[tokio::test]
async fn a_run_that_is_dropped_at_50_moments_ends_in_the_same_files() {
    let uninterrupted = bench().await;
    uninterrupted.run(&request()).await;
    let (expected, requests) = (content(&uninterrupted), uninterrupted.host.log().len());
    assert_eq!((expected.len(), requests), (12, 16));
    let mut random = RandomSequence(7);
    let mut kills = 0;
    while kills < 50 {
        let mut bench = bench().await;
        let mut kills_here = 0;
        loop {
            let recorded = recorded_paths(bench.raw());
            bench.settings.contact = Some(contact(kills_here));
            let ended = run_for(&bench.fetcher(), 1 + random.below(120)).await;
            check_nothing_repeated(&bench, kills_here, &recorded);
            if ended.is_some() {
                break;
            }
            kills_here += 1;
        }
        assert_eq!(content(&bench), expected, "after {kills_here} kills");
        assert!(
            bench.host.log().len() <= requests + kills_here,
            "a kill costs at most the request under way"
        );
        assert!(!bench.state_text().contains("\"complete\""), "no part is left");
        kills += kills_here;
    }
}

/// The child process of the test below: a single run.
#[tokio::test]
#[ignore = "it is started by the test that kills it"]
async fn child() {
    let variable = |name: &str| std::env::var(format!("FETCH_CHILD_{name}"));
    let (Ok(url), Ok(raw), Ok(now), Ok(number)) =
        (variable("URL"), variable("RAW"), variable("NOW"), variable("NUMBER"))
    else {
        return;
    };
    let mut settings = FetchSettings { proxy: Proxy::Direct, ..FetchSettings::default() };
    settings.bases.insert("files.test".to_owned(), url.parse().unwrap());
    settings.contact = Some(contact(number.parse().unwrap()));
    let fetcher = Fetcher::new(catalogue(), Folders::new(raw), settings, SimulatedClock::at(&now)).unwrap();
    fetcher.run(&request(), &CallRecorder::default()).await.unwrap();
}

/// Starts a child and kills it after a while; returns true if it had already ended.
fn killed_after((url, raw): (&Url, &Path), now: &str, number: usize, wait: Duration) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["tests::killed::child", "--exact", "--ignored", "--test-threads=1"])
        .env("FETCH_CHILD_URL", url.as_str())
        .env("FETCH_CHILD_RAW", raw)
        .env("FETCH_CHILD_NOW", now)
        .env("FETCH_CHILD_NUMBER", number.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(wait);
    let ended = child.try_wait().unwrap().is_some();
    let _ = child.kill();
    let status = child.wait().unwrap();
    assert!(!ended || status.success(), "the child failed");
    ended && status.success()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_is_killed_at_50_moments_ends_in_the_same_files() {
    let uninterrupted = bench().await;
    uninterrupted.run(&request()).await;
    let (expected, requests) = (content(&uninterrupted), uninterrupted.host.log().len());
    let mut random = RandomSequence(11);
    let mut kills = 0;
    while kills < 50 {
        let bench = Arc::new(bench().await);
        let mut kills_here = 0;
        loop {
            let recorded = recorded_paths(bench.raw());
            // Each child starts a little later than the one before it.
            bench.clock.advance(TimeDelta::seconds(1));
            let now = bench.clock.now().to_rfc3339();
            let (url, raw) = (bench.host.url.clone(), bench.raw().to_owned());
            // Later children get more time, so that the work ends.
            let wait = Duration::from_millis(4 + random.below(40 + 10 * kills_here as u64));
            let child = move || killed_after((&url, &raw), &now, kills_here, wait);
            let ended = tokio::task::spawn_blocking(child).await.unwrap();
            check_nothing_repeated(&bench, kills_here, &recorded);
            if ended {
                break;
            }
            kills_here += 1;
        }
        assert_eq!(content(&bench), expected, "after {kills_here} kills");
        assert!(bench.host.log().len() <= requests + kills_here);
        kills += kills_here;
    }
}

#[tokio::test]
async fn every_step_after_the_last_byte_can_be_repeated() {
    // The states after a kill: complete bytes; line in the note; file renamed; line in the manifest.
    let reference = bench().await;
    reference.run(&request()).await;
    let lines = fs::read_to_string(reference.raw().join(".fetch/manifest.jsonl")).unwrap();
    let line: ManifestLine = lines
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .find(|line: &ManifestLine| line.item == "2026-07-08")
        .unwrap();
    let body = reference.files().into_iter().find(|(name, _)| name.ends_with("day_08072026.csv")).unwrap().1;
    for step in 0..4 {
        let bench = bench().await;
        let parts = bench.raw().join(".fetch/parts");
        let target = bench.raw().join(line.path.as_ref().unwrap());
        fs::create_dir_all(&parts).unwrap();
        let mut note = serde_json::json!({
            "source": "day", "item": "2026-07-08", "url": bench.host.url.join("day_08072026.csv").unwrap().as_str(), "at": line.at,
            "status": 200, "etag": line.etag, "last_modified": null, "length": body.len(), "complete": true, "line": null
        });
        if step > 0 {
            note["line"] = serde_json::to_value(&line).unwrap();
        }
        fs::write(parts.join("abc.json"), note.to_string()).unwrap();
        if step < 2 {
            fs::write(parts.join("abc.part"), &body).unwrap();
        } else {
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::write(&target, &body).unwrap();
        }
        if step == 3 {
            fs::write(
                bench.raw().join(".fetch/manifest.jsonl"),
                serde_json::to_string(&line).unwrap() + "\n",
            )
            .unwrap();
        }
        bench.run(&between("2026-07-08", "2026-07-08")).await;
        assert!(!bench.host.requested_paths().contains(&"/day_08072026.csv".to_owned()), "step {step}");
        assert_eq!(fs::read(&target).unwrap(), body, "step {step}");
        let text = fs::read_to_string(bench.raw().join(".fetch/manifest.jsonl")).unwrap();
        assert_eq!(text.matches("\"item\":\"2026-07-08\"").count(), 1, "step {step}");
        assert_eq!(fs::read_dir(&parts).unwrap().count(), 0, "step {step}");
    }
}
