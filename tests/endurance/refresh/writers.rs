//! Files that are written slowly, and files that are overwritten in place during calls: no caller gets a failed or mixed answer.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use datafusion::arrow::array::{Float64Array, StringArray};

use crate::plain_folder::plain_market;
use crate::refreshed_server::{Fixture, at_rest};
use crate::running_server::wait_for;
use crate::tables::{read, replaced, write};

#[test]
fn half_a_file_is_refused_and_the_whole_is_served() {
    let fixture = Fixture::over(at_rest(), plain_market);
    let before = fixture.get("companies");
    let (path, next) = (fixture.file("stocks.parquet"), fixture.file(".next"));
    let rows = replaced(&read(&path), "company_name", |values| {
        Arc::new(StringArray::from(vec!["Whole"; values.len()]))
    });
    write(&next, &rows);
    let bytes = std::fs::read(&next).unwrap();
    let (half, rest) = bytes.split_at(bytes.len() / 2);

    let mut file = File::create(&path).unwrap();
    file.write_all(half).unwrap();
    fixture.wait("the refusal", |status| !status.refused.is_empty());
    let after = fixture.get("companies");
    assert_eq!(after.data(), before.data());
    assert_eq!(after.header("x-snapshot"), before.header("x-snapshot"));
    let ready = fixture.ready();
    assert_eq!((&ready["ready"], &ready["markets"]["india"]["set"]), (&true.into(), &1.into()), "{ready}");
    let refused = &ready["markets"]["india"]["refused"][0];
    assert_eq!(refused["table"], "stocks", "{ready}");
    assert!(refused["file"].as_str().unwrap().ends_with("india/stocks.parquet"), "{ready}");
    assert!(refused["operations"].as_array().unwrap().contains(&"companies".into()), "{ready}");
    let written = fixture.refusal().unwrap();
    assert_eq!((&written["admitted"], &written["findings"][0]["table"]), (&false.into(), &"stocks".into()));

    file.write_all(rest).unwrap();
    drop(file);
    fixture.wait("the next set", |status| status.set == Some(2));
    assert_eq!(fixture.get("companies?limit=1").data()[0]["company_name"], "Whole");
    assert_eq!((fixture.refused().as_str(), fixture.refusal()), ("", None));
}

/// Records of callers' answers.
#[derive(Default)]
struct Answers {
    count: AtomicUsize,
    /// By snapshot: the only delivery percentage in all rows of its answers.
    shares: Mutex<BTreeMap<String, String>>,
    faults: Mutex<Vec<String>>,
}

impl Answers {
    /// Requests the last bars of a symbol; all must have one delivery percentage, the same in all answers of a set.
    fn ask(&self, fixture: &Fixture, symbol: &str) {
        let reply = fixture.get(&format!("company/daily-prices?symbol={symbol}&limit=8"));
        let mut fault = None;
        if reply.status == 200 {
            let rows = reply.data();
            let mut shares: Vec<String> =
                rows.as_array().unwrap().iter().map(|row| row["delivery_pct"].to_string()).collect();
            shares.dedup();
            let snapshot = reply.header("x-snapshot").to_owned();
            match shares.as_slice() {
                [share] => {
                    let mut all = self.shares.lock().unwrap();
                    let known = all.entry(snapshot).or_insert_with(|| share.clone());
                    if known != share {
                        fault = Some(format!("{symbol}: {share} and {known} in one set"));
                    }
                }
                other => fault = Some(format!("{symbol}: {other:?}")),
            }
        } else {
            fault = Some(format!("{symbol}: {} {}", reply.status, reply.message()));
        }
        self.faults.lock().unwrap().extend(fault);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits for this number of further answers.
    fn wait(&self, more: usize) {
        let until = self.count.load(Ordering::Relaxed) + more;
        wait_for("answers", || self.count.load(Ordering::Relaxed) >= until);
    }
}

/// Like `rsync --inplace`: overwrites the existing bytes piece by piece, the end last.
#[test]
fn a_long_file_is_overwritten_in_place_while_callers_ask() {
    const ROUNDS: u32 = 3;
    const PIECES: usize = 8;
    let path = "daily_prices/2026.parquet";
    let fixture = Fixture::over(at_rest(), |data| {
        plain_market(data);
        share_of(&data.join("india").join(path), 0);
    });
    let symbols = fixture.get("companies?limit=20").data();
    let symbols: Vec<&str> =
        symbols.as_array().unwrap().iter().map(|row| row["symbol"].as_str().unwrap()).collect();
    let (answers, stop) = (Answers::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (fixture, answers, stop, symbols) = (&fixture, &answers, &stop, &symbols);
            scope.spawn(move || {
                for symbol in symbols.iter().cycle().skip(thread * 5) {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    answers.ask(fixture, symbol);
                }
            });
        }
        let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for round in 1..=ROUNDS {
                let next = fixture.file(".next");
                std::fs::copy(fixture.file(path), &next).unwrap();
                share_of(&next, round);
                let bytes = std::fs::read(&next).unwrap();
                let mut file = File::options().write(true).open(fixture.file(path)).unwrap();
                for piece in bytes.chunks(bytes.len().div_ceil(PIECES)) {
                    file.write_all(piece).unwrap();
                    answers.wait(4);
                }
                let end = file.stream_position().unwrap();
                file.set_len(end).unwrap();
                fixture.wait("the next set", |status| status.set == Some(u64::from(round) + 1));
                answers.wait(8);
            }
        }));
        stop.store(true, Ordering::Relaxed);
        written.unwrap();
    });
    let faults = answers.faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{} of {} answers: {faults:#?}", faults.len(), answers.count.into_inner());
    // Each set was requested, and each has another percentage.
    let shares: Vec<String> = answers.shares.into_inner().unwrap().into_values().collect();
    let mut sorted = shares.clone();
    sorted.sort();
    assert_eq!(sorted, (0..=ROUNDS).map(|round| format!("{}.5", 10 + round)).collect::<Vec<_>>());
}

/// Rewrites a file with one delivery percentage in all its rows.
fn share_of(path: &std::path::Path, round: u32) {
    let share = 10.5 + f64::from(round);
    let rows = replaced(&read(path), "delivery_pct", |values| {
        Arc::new(Float64Array::from(vec![share; values.len()]))
    });
    write(path, &rows);
}
