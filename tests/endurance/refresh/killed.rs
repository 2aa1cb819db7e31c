//! Servers and derivations that are killed at random moments: the newest set is complete, a restarted server serves it, and the
//! next run leaves no staging folder behind. A few kills in a plain run, more by `PARQUOTE_KILLS`.

use std::fs;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::StringArray;
use parquote::operation::Market;
use parquote::set::{Home, hash_of};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::program::RefreshFolder;
use crate::demo_market::LITTLE;
use crate::plain_folder::plain_market;
use crate::running_server::wait_for;
use crate::tables::{change, replaced};

/// Returns the kills of each kind; a plain run has 6 in all.
fn kills() -> u64 {
    let all: u64 = std::env::var("PARQUOTE_KILLS").map_or(6, |text| text.parse().unwrap());
    all.div_ceil(2)
}

/// Returns the newest set's number in the Indian market, after checking the length and bytes of every file.
fn newest(place: &RefreshFolder, what: &str) -> u64 {
    let home = Home::new(place.data());
    let Some(set) = home.newest(Market::India).unwrap() else { return 0 };
    for (table, file) in set.files() {
        let path = home.file_path(Market::India, table, &file.hash);
        assert_eq!(fs::metadata(&path).unwrap().len(), file.bytes, "{what}: {}", path.display());
        assert_eq!(hash_of(&path).unwrap(), file.hash, "{what}: {}", path.display());
    }
    set.number
}

/// Kills a process after a while; its result does not matter.
fn kill_after(mut child: Child, pause: Duration) {
    let began = Instant::now();
    while began.elapsed() < pause && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    child.wait().unwrap();
}

fn rename(place: &RefreshFolder, round: u64) {
    change(&place.file("stocks.parquet"), |rows| {
        let name = format!("Round {round}");
        replaced(&rows, "company_name", |values| Arc::new(StringArray::from(vec![name; values.len()])))
    });
}

#[test]
fn a_server_killed_while_it_takes_in_a_file_loses_nothing() {
    let place = RefreshFolder::over(plain_market);
    let mut chance = ChaCha8Rng::seed_from_u64(1);
    let mut before = 0;
    // Time from the file to the set, within which the kills happen.
    let mut span = Duration::from_secs(2);
    for round in 0..=kills() {
        let server = place.serve(20, &[]);
        let what = format!("round {round}");
        let name = server.get("companies?limit=1").data()[0]["company_name"].as_str().unwrap().to_owned();
        let now = newest(&place, &what);
        assert!(now >= before, "{what}: set {now} after set {before}");
        if round > 0 && now == before {
            assert_ne!(name, format!("Round {}", round - 1), "{what}: served from no set");
        }
        before = now;
        let began = Instant::now();
        rename(&place, round);
        if round == 0 {
            wait_for("the next set", || newest(&place, &what) > before);
            span = began.elapsed().mul_f64(1.4);
        } else {
            let pause = span.mul_f64(chance.random());
            while began.elapsed() < pause {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        server.kill();
    }
    // The next run loads the killed one's file, and leaves nothing behind.
    let server = place.serve(20, &[]);
    let last = format!("Round {}", kills());
    wait_for("the last name", || server.get("companies?limit=1").data()[0]["company_name"] == *last);
    wait_for("no staging", || place.staging().is_empty());
    println!("{} kills within {span:?}; set {}", kills(), newest(&place, "the end"));
}

#[test]
fn a_derivation_killed_anywhere_loses_nothing() {
    let place = RefreshFolder::over(|_| {});
    let raw = LITTLE.raw.to_str().unwrap();
    let derive = |as_of: &str| {
        let arguments = ["derive", "--raw", raw, "--data", "data", "--market", "india", "--as-of", as_of];
        let mut command = place.command(&arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut chance = ChaCha8Rng::seed_from_u64(2);
    let began = Instant::now();
    assert!(derive("2026-10-01").wait().unwrap().success());
    let span = began.elapsed();
    let mut before = newest(&place, "the first");
    assert_eq!(before, 1);
    for round in 0..kills() {
        // Another day each time, so that there is something to publish.
        let day = format!("2026-10-{:02}", 2 + round % 20);
        kill_after(derive(&day), span.mul_f64(chance.random()));
        let now = newest(&place, &day);
        assert!(now == before || now == before + 1, "{day}: set {now} after set {before}");
        before = now;
    }
    let last = derive("2026-10-28").wait_with_output().unwrap();
    assert!(last.status.success());
    assert_eq!(newest(&place, "the last"), before + 1);
    assert_eq!(place.staging(), Vec::<std::path::PathBuf>::new());
    let server = place.serve(20, &[]);
    assert_eq!(server.get("market/breadth?days=2").status, 200);
    println!("{} kills within {span:?}; set {}", kills(), before + 1);
}

#[test]
fn publishing_and_going_back_killed_anywhere_lose_nothing() {
    let place = RefreshFolder::over(plain_market);
    let run = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let publish = ["publish", "--data", "data", "--market", "india"];
    let began = Instant::now();
    assert!(run(&publish).wait().unwrap().success());
    let (span, mut chance) = (began.elapsed(), ChaCha8Rng::seed_from_u64(3));
    rename(&place, 0);
    assert!(run(&publish).wait().unwrap().success());
    let mut before = newest(&place, "the second");
    assert_eq!(before, 2);
    for round in 1..=kills() {
        rename(&place, round);
        for (what, arguments) in
            [("publish", &publish[..]), ("rollback", &["rollback", "--data", "data", "--market", "india"])]
        {
            // A rollback takes a few milliseconds, a publication as long as all its checks.
            let most = if what == "publish" { span } else { Duration::from_millis(40) };
            kill_after(run(arguments), most.mul_f64(chance.random()));
            let now = newest(&place, what);
            assert!(
                now == before || now == before + 1,
                "{what}, round {round}: set {now} after set {before}"
            );
            before = now;
        }
    }
    rename(&place, 99);
    assert!(run(&publish).wait().unwrap().success());
    assert_eq!(newest(&place, "the last"), before + 1);
    assert_eq!(place.staging(), Vec::<std::path::PathBuf>::new());
}
