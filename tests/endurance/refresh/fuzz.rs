//! Random damage to files in the folder of a running server: after each the server answers, from the old set or from a correctly
//! admitted new one, and its memory stays bounded. A few cases in a plain run, more by `PARQUOTE_FUZZ_CASES` or `PARQUOTE_FUZZ_SECONDS`;
//! another seed by `PARQUOTE_FUZZ_SEED`.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use datafusion::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquote::operation::Market;
use parquote::set::Home;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::Value as Json;

use super::program::{Program, RefreshFolder};
use crate::plain_folder::plain_market;

/// Files to damage: short and long tables, including the calendar.
const FILES: [&str; 8] = [
    "stocks.parquet",
    "companies.parquet",
    "sessions.parquet",
    "breadth.parquet",
    "index_members.parquet",
    "daily_prices/2026.parquet",
    "session_prices/2026.parquet",
    "rs_history/2026.parquet",
];
/// Paths that are requested after each damage.
const PATHS: [&str; 5] = [
    "companies?limit=5",
    "market/breadth",
    "market/top-movers?limit=5",
    "market/momentum?limit=5",
    "market/sectors",
];
/// Peak memory of a server of the little market.
const MOST_MEMORY: u64 = 1 << 30;

#[derive(Debug, Clone, Copy)]
enum Damage {
    Truncate,
    FlipInFooter,
    FlipInPageHeader,
    FlipInPages,
    FlipAnywhere,
    Zeros,
    Append,
    Double,
    OtherFile,
}

const ALL: [Damage; 9] = [
    Damage::Truncate,
    Damage::FlipInFooter,
    Damage::FlipInPageHeader,
    Damage::FlipInPages,
    Damage::FlipAnywhere,
    Damage::Zeros,
    Damage::Append,
    Damage::Double,
    Damage::OtherFile,
];

impl Damage {
    /// Returns the damaged bytes of a file.
    fn done(self, path: &Path, other: &Path, chance: &mut ChaCha8Rng) -> Vec<u8> {
        let mut bytes = fs::read(path).unwrap();
        let length = bytes.len();
        let footer = ParquetMetaDataReader::new().parse_and_finish(&fs::File::open(path).unwrap()).unwrap();
        let footer_start =
            length - 8 - u32::from_le_bytes(bytes[length - 8..length - 4].try_into().unwrap()) as usize;
        match self {
            Self::Truncate => bytes.truncate(chance.random_range(0..length)),
            Self::FlipInFooter => flip(&mut bytes, footer_start..length, chance),
            Self::FlipInPageHeader => {
                // A page header is about twenty bytes of Thrift.
                let start = page(&footer, chance);
                flip(&mut bytes, start..(start + 20).min(length), chance);
            }
            Self::FlipInPages => flip(&mut bytes, 4..footer_start, chance),
            Self::FlipAnywhere => flip(&mut bytes, 0..length, chance),
            Self::Zeros => {
                let start = chance.random_range(0..length);
                let end = (start + chance.random_range(1..4096)).min(length);
                bytes[start..end].fill(0);
            }
            Self::Append => bytes.extend((0..chance.random_range(1..64)).map(|_| chance.random::<u8>())),
            Self::Double => bytes.extend_from_within(..),
            Self::OtherFile => return fs::read(other).unwrap(),
        }
        bytes
    }
}

/// Returns the start of a random page of a file.
fn page(footer: &ParquetMetaData, chance: &mut ChaCha8Rng) -> usize {
    let groups = footer.row_groups();
    let columns = groups[chance.random_range(0..groups.len())].columns();
    columns[chance.random_range(0..columns.len())].byte_range().0 as usize
}

fn flip(bytes: &mut [u8], range: std::ops::Range<usize>, chance: &mut ChaCha8Rng) {
    for _ in 0..chance.random_range(1..4) {
        let at = chance.random_range(range.clone());
        bytes[at] ^= 1 << chance.random_range(0..8);
    }
}

/// A server under fuzz.
struct Victim {
    place: RefreshFolder,
    server: Program,
    /// Answers by the id of their set.
    answers: Vec<Json>,
}

impl Victim {
    fn new() -> Self {
        let place = RefreshFolder::over(plain_market);
        let server = place.serve(3_600_000, &[]);
        let answers = answers(&server).unwrap();
        Self { place, server, answers }
    }

    /// Damages a file, checks the effect, and restores the file. Returns true if the damage was admitted.
    fn suffer(&mut self, what: &str, path: &str, damaged: &[u8]) -> Result<bool, String> {
        let (file, home) = (self.place.file(path), Home::new(self.place.data()));
        let good = fs::read(&file).unwrap();
        let number = home.newest(Market::India).unwrap().unwrap().number;
        fs::write(&file, damaged).unwrap();
        let status = self.server.refresh();
        fs::write(&file, good).unwrap();
        if !self.server.lives() {
            let log = self.place.log();
            *self = Self::new();
            return Err(format!("{what}: the server ended: {log}"));
        }
        let (is_admitted, is_refused) = (status["set"] != number, !status["refused"].is_null());
        let now = answers(&self.server).map_err(|fault| format!("{what}: {fault}"))?;
        let is_same_file = damaged == fs::read(&file).unwrap();
        let fault = match (is_admitted, is_refused) {
            (false, false) if !is_same_file => Some(format!("neither admitted nor refused: {status}")),
            (true, true) => Some(format!("both admitted and refused: {status}")),
            (false, _) if now != self.answers => Some("other answers of the old set".to_owned()),
            _ => None,
        };
        let status = self.server.refresh();
        if !status["refused"].is_null() || answers(&self.server).as_ref() != Ok(&self.answers) {
            // If the damage was admitted, the good file may be refused as a step back.
            if !is_admitted {
                return Err(format!("{what}: the good file is not good any more: {status}"));
            }
            *self = Self::new();
        }
        fault.map_or(Ok(is_admitted), |fault| Err(format!("{what}: {fault}")))
    }
}

/// Returns the data of all paths, or the failure. The data must not depend on the set.
fn answers(server: &Program) -> Result<Vec<Json>, String> {
    let answer = |path: &&str| {
        let reply = server.get(path);
        let parsed =
            serde_json::from_slice::<Json>(&reply.body).map_err(|error| format!("{path}: {error}"))?;
        if reply.status == 200 { Ok(parsed["data"].clone()) } else { Err(format!("{path}: {parsed}")) }
    };
    PATHS.iter().map(answer).collect()
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

#[test]
fn damaged_files_never_reach_callers_nor_end_the_server() {
    let (cases, seed) = (number("PARQUOTE_FUZZ_CASES", 18), number("PARQUOTE_FUZZ_SEED", 1));
    let mut victim = Victim::new();
    let (mut faults, mut admitted, mut most) = (Vec::new(), Vec::new(), 0);
    // A long run continues until its time is up, as in `crate::fuzz`.
    let (began, seconds) = (Instant::now(), number("PARQUOTE_FUZZ_SECONDS", 0));
    let goes_on = |case: &u64| *case < cases || began.elapsed() < Duration::from_secs(seconds);
    let mut done = 0;
    for case in (0..).take_while(goes_on) {
        done = case + 1;
        let mut chance = ChaCha8Rng::seed_from_u64(seed << 32 | case);
        // All kinds of damage in turn, to random files.
        let damage = ALL[case as usize % ALL.len()];
        let [file, other] = [(); 2].map(|()| FILES[chance.random_range(0..FILES.len())]);
        let path = victim.place.file(file);
        let damaged = damage.done(&path, &victim.place.file(other), &mut chance);
        let what = format!("seed {seed} case {case}: {damage:?} {file} ({other})");
        match victim.suffer(&what, file, &damaged) {
            Ok(true) => admitted.push(what),
            Ok(false) => {}
            Err(fault) => faults.push(fault),
        }
        most = most.max(victim.server.memory().unwrap_or_default());
    }
    let high = victim.server.most_memory().unwrap_or_default() >> 20;
    println!("{done} cases, {} admitted: {admitted:#?}", admitted.len());
    println!("memory at most {} MiB after a case, {high} MiB at any time", most >> 20);
    assert!(faults.is_empty(), "{} of {done}:\n{}", faults.len(), faults.join("\n"));
    assert!(most < MOST_MEMORY, "{most} bytes");
}
