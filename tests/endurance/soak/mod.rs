//! All kinds of load at once for a time: reads with random arguments in all formats, pages, tools, pins to earlier sets, noise on separate
//! connections, runs with a silent provider, a new set every few seconds, and hostile files in between. The server reports no
//! fault, and its memory, descriptors and log in the second half equal those in the first.
//!
//! `PARQUOTE_SOAK_SECONDS=3600` runs for an hour, with a new set every 20 seconds.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::attack::target::Target;
use crate::demo_market::RUNTIME;
use crate::running_server::wait_for;

/// The callers.
mod callers;

/// The publisher of new files, valid and hostile ones.
mod publisher;

use callers::Callers;
use publisher::Publisher;

/// The default duration in seconds.
const SECONDS: u64 = 12;
/// The shortest long run: its caches are full well before half of it.
const LONG: Duration = Duration::from_mins(5);
const MIB: u64 = 1 << 20;

/// The server's resources at one moment.
#[derive(Debug, Clone, Copy)]
struct Sample {
    memory: u64,
    descriptors: u64,
    log: u64,
}

impl Sample {
    fn take(target: &Target) -> Self {
        Self { memory: target.memory(), descriptors: target.descriptors(), log: target.log().len() as u64 }
    }
}

#[test]
fn nothing_grows_and_nothing_fails() {
    let seconds = std::env::var("PARQUOTE_SOAK_SECONDS").map_or(SECONDS, |text| text.parse().unwrap());
    let length = Duration::from_secs(seconds);
    let publisher = Publisher::new();
    let provider = format!("openai={}", publisher::silent_provider());
    let target = Target::over(
        &publisher.data(),
        &[
            "--log", "warn", "--poll-ms", "200", "--quiet-ms", "200", "--keep-sets", "4", "--provider-url",
            &provider,
        ],
    );
    let callers = Arc::new(Callers::new(&target));
    let tasks = callers.start();
    let samples = during(&target, &publisher, length);
    // After all hostile files, the good one is served. On a busy machine this may be the first new set of a short run.
    let last = publisher.mend();
    wait_for("another set", || callers.set_that_is_served() > 1);
    callers.over.store(true, Ordering::Relaxed);
    for task in tasks {
        RUNTIME.block_on(task).unwrap();
    }
    let sets = callers.set_that_is_served();
    println!("{}; set {sets} is served", callers.summary());
    println!("{}", shown(&samples, length));
    let faults = callers.faults.lock().unwrap();
    assert!(faults.is_empty(), "{} faults: {:#?}", faults.len(), &faults[..faults.len().min(10)]);
    assert!(callers.asked_each() && sets > 1, "{}; set {sets} is served", callers.summary());
    flat(&samples, length);
    wait_for("the last good set", || callers.name_of_first().contains(&last));
}

/// Publishes and takes samples until the time is over.
fn during(target: &Target, publisher: &Publisher, length: Duration) -> Vec<Sample> {
    // Every other round publishes a good set.
    let every = Duration::from_secs(if length >= LONG { 10 } else { 3 });
    let began = Instant::now();
    let (mut samples, mut rounds) = (Vec::new(), 0);
    while began.elapsed() < length {
        if began.elapsed() >= every * rounds {
            publisher.publish(rounds);
            rounds += 1;
        }
        samples.push(Sample::take(target));
        assert!(target.memory() > 0, "the server ended: {}", target.log());
        std::thread::sleep(Duration::from_millis(500));
    }
    samples
}

/// Returns the median of a figure.
fn median(samples: &[Sample], of: impl Fn(&Sample) -> u64) -> u64 {
    let mut all: Vec<u64> = samples.iter().map(of).collect();
    all.sort_unstable();
    all[all.len() / 2]
}

/// Returns the halves of the samples after the first quarter, in which caches fill.
fn halves(samples: &[Sample]) -> (&[Sample], &[Sample]) {
    let warm = &samples[samples.len() / 4..];
    warm.split_at(warm.len() / 2)
}

/// Checks that the second half does not exceed the first.
fn flat(samples: &[Sample], length: Duration) {
    let (early, late) = halves(samples);
    // In a short run caches are still filling.
    let more = if length >= LONG { 64 * MIB } else { 256 * MIB };
    let (before, after) = (median(early, |s| s.memory), median(late, |s| s.memory));
    assert!(after <= before + more, "memory grew from {} to {} MiB", before / MIB, after / MIB);
    let (before, after) = (median(early, |s| s.descriptors), median(late, |s| s.descriptors));
    assert!(after <= before + 16, "descriptors grew from {before} to {after}");
    let log = samples.last().unwrap().log;
    let most = 256 * 1024 + 1024 * length.as_secs();
    assert!(log <= most, "the log has {log} bytes after {} s", length.as_secs());
}

fn shown(samples: &[Sample], length: Duration) -> String {
    let (early, late) = halves(samples);
    let mut text = format!("{} s;", length.as_secs());
    for (name, half) in [("first", early), ("second", late)] {
        let memory = median(half, |s| s.memory) / MIB;
        let most = half.iter().map(|s| s.memory).max().unwrap() / MIB;
        let descriptors = median(half, |s| s.descriptors);
        let _ =
            write!(text, " {name} half: memory {memory} MiB, at most {most} MiB, descriptors {descriptors};");
    }
    let tenths = samples.chunks(samples.len().div_ceil(10)).map(|part| median(part, |s| s.memory) / MIB);
    let _ = write!(text, " memory by tenths {:?};", tenths.collect::<Vec<_>>());
    let _ = write!(text, " log {} bytes", samples.last().unwrap().log);
    text
}
