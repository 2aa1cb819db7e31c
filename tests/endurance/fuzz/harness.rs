//! The loop of every target: known cases first, then randomly changed seeds until the time is up.
//!
//! A failing case is written to `tests/fuzz/<target>/`, and every later run repeats it.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Seconds per target in a plain run.
const SECONDS: u64 = 1;
/// Failing cases after which a target stops.
const ENOUGH: usize = 12;
/// The longest case.
const LONGEST: usize = 1 << 18;

/// Values that parsers find hard.
const HARD: &[&str] = &[
    "", "\0", "\n", "\r\n", ",", ",,,,,,,,", "\"", "'", "%", "%00", "%ff", "%zz", "&", "=", "+", ";", ":",
    "--", "-", "<", ">", "<a>", "</a>", "&amp;", "&#0;", "&#x10ffff;", "{", "}", "[", "]", "[[[[[[[[",
    "{\"a\":", "null", "true", "0", "-0", "1", "-1", "1e309", "1e-309", "NaN", "inf", "9223372036854775807",
    "-9223372036854775808", "18446744073709551616", "0.1e1", ".", "..", "٣", "é", "ß", "ﬁ", "\u{feff}",
    "\u{202e}", "\u{200b}", "🚀", "\u{0130}", "ı", "9999-12-31", "0000-00-00", "-262143-01-01",
    "31-Dec-9999", "2026-02-30", "12/31/9999", "$", "₹", "PAR1", "PK\u{3}\u{4}", "when:", "between", "not",
    "and", "or", "to", "top", "%e0%a4%a",
];

/// Returns the number in an environment variable.
pub(crate) fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

/// Returns the duration of a target.
pub(super) fn time() -> Duration {
    Duration::from_secs(number("PARQUOTE_FUZZ_SECONDS", SECONDS))
}

fn corpus(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz").join(target)
}

/// Runs known cases, then changed seeds. A case fails by a panic; the target fails after all cases have run.
pub(super) fn run(target: &str, seeds: &[Vec<u8>], mut case: impl FnMut(&[u8])) {
    assert!(!seeds.is_empty(), "{target} has no seed");
    let mut faults = Vec::new();
    let mut play = |bytes: &[u8], faults: &mut Vec<String>| {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| case(bytes))) {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no words");
            let (hash, folder) = (blake3::hash(bytes).to_hex(), corpus(target));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(&hash[..16]), bytes).unwrap();
            faults.push(format!("{target}/{}: {text}", &hash[..16]));
        }
    };
    let mut found: Vec<PathBuf> = fs::read_dir(corpus(target))
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    found.sort();
    let found: Vec<Vec<u8>> = found.iter().map(|path| fs::read(path).unwrap()).collect();
    for bytes in &found {
        play(bytes, &mut faults);
    }
    let seed = number("PARQUOTE_FUZZ_SEED", 1);
    let mut chance = ChaCha8Rng::seed_from_u64(seed ^ u64::from(target.len() as u32) << 32);
    let all: Vec<&[u8]> = seeds.iter().chain(&found).map(Vec::as_slice).collect();
    let (began, time, mut cases) = (Instant::now(), time(), 0_u64);
    while began.elapsed() < time && faults.len() < ENOUGH {
        let changed = changed(&all, &mut chance);
        play(&changed, &mut faults);
        cases += 1;
    }
    println!(
        "{target}: {} cases found before, {cases} new ones of {} seeds (seed {seed}) in {:.0} s, {} failed",
        found.len(),
        seeds.len(),
        began.elapsed().as_secs_f64(),
        faults.len()
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns one of the seeds with a few changes.
fn changed(seeds: &[&[u8]], chance: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = seeds[chance.random_range(0..seeds.len())].to_vec();
    for _ in 0..chance.random_range(1..6) {
        change(&mut bytes, seeds, chance);
        bytes.truncate(LONGEST);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, seeds: &[&[u8]], chance: &mut ChaCha8Rng) {
    let at = chance.random_range(0..=bytes.len());
    let end = (at + chance.random_range(1..24)).min(bytes.len());
    match chance.random_range(0..9) {
        0 if at < bytes.len() => bytes[at] ^= 1 << chance.random_range(0..8),
        1 if at < bytes.len() => bytes[at] = chance.random(),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let part = bytes[at..end].to_vec();
            let times = chance.random_range(1..40);
            bytes.splice(at..at, part.repeat(times));
        }
        4 => bytes.truncate(at),
        5 => {
            let other = seeds[chance.random_range(0..seeds.len())];
            let from = chance.random_range(0..=other.len());
            let to = (from + chance.random_range(1..200)).min(other.len());
            bytes.splice(at..end, other[from..to].iter().copied());
        }
        6 => {
            // A number is replaced with another, as in sizes and counts.
            let digit = bytes[at..].iter().position(u8::is_ascii_digit).map(|digit| at + digit);
            if let Some(start) = digit {
                let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let hard = HARD[chance.random_range(0..HARD.len())];
                bytes.splice(start..start + length, hard.bytes());
            }
        }
        _ => {
            let hard = HARD[chance.random_range(0..HARD.len())];
            bytes.splice(at..end.min(at + chance.random_range(0..4)).max(at), hard.bytes());
        }
    }
}
