//! Accidental files in a server's folder: each is reported once, and new data is served nevertheless, or as soon as
//! the file is gone.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use datafusion::arrow::array::StringArray;
use parquote::operation::Market;
use parquote::set::Home;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::demo_market::RUNTIME;
use crate::plain_folder::plain_market;
use crate::refreshed_server::{Fixture, at_rest, on_request};
use crate::tables::{change, replaced};

/// Gives every company a name.
fn rename(path: &Path, name: &str) {
    change(path, |rows| {
        replaced(&rows, "company_name", |values| Arc::new(StringArray::from(vec![name; values.len()])))
    });
}

/// Writes a file that matches no table, and waits until the refresher has seen it.
fn see(fixture: &Fixture, name: &str) {
    fs::write(fixture.file(&format!("{name}.parquet")), "scratch").unwrap();
    fixture.wait(name, |now| now.warnings.iter().any(|found| found.table.as_deref() == Some(name)));
}

#[test]
fn what_is_no_regular_file_is_refused_once_and_holds_nothing_up_when_it_is_gone() {
    let fixture = Fixture::over(at_rest(), plain_market);
    let path = fixture.file("sectors.parquet");
    let kept = fs::read(&path).unwrap();
    let pipe: fn(&Path) =
        |path: &Path| mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let endless: fn(&Path) = |path: &Path| symlink("/dev/zero", path).unwrap();
    let circle: fn(&Path) = |path: &Path| symlink(path, path).unwrap();
    let kinds = [
        ("a pipe", "not a regular file", pipe),
        ("a device", "not a regular file", endless),
        ("a circle", "cannot be opened", circle),
    ];
    for (at, (what, says, make)) in kinds.into_iter().enumerate() {
        let before = fixture.now();
        fs::remove_file(&path).unwrap();
        make(&path);
        fixture.wait(what, |now| !now.refused.is_empty());
        let refused = fixture.refused();
        assert!(refused.contains(says) && refused.contains("sectors.parquet"), "{what}: {refused}");
        see(&fixture, &format!("look_{at}"));
        let after = fixture.now();
        assert_eq!(
            (after.refusals, after.set, &after.trouble),
            (before.refusals + 1, before.set, &None),
            "{what}"
        );
        fs::remove_file(&path).unwrap();
        fs::write(&path, &kept).unwrap();
        rename(&fixture.file("stocks.parquet"), what);
        fixture.wait("good data", |now| now.set == before.set.map(|set| set + 1) && now.refused.is_empty());
    }
}

#[test]
fn names_of_no_table_make_no_set_and_a_file_that_is_always_busy_is_not_waited_for() {
    let fixture = Fixture::over(at_rest(), plain_market);
    for name in ["scratch1", "scratch2", "scratch3"] {
        see(&fixture, name);
    }
    assert_eq!(fixture.set(), 1);
    for table in ["scratch4", "sectors"] {
        let path = fixture.file(&format!("{table}.parquet"));
        let (stop, before) = (Arc::new(AtomicBool::new(false)), fixture.set());
        let kept = fs::read(&path).ok();
        let writer = {
            let (stop, path) = (Arc::clone(&stop), path.clone());
            thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    fs::File::options()
                        .create(true)
                        .append(true)
                        .open(&path)
                        .unwrap()
                        .write_all(b"x")
                        .unwrap();
                    thread::sleep(Duration::from_millis(5));
                }
            })
        };
        rename(&fixture.file("stocks.parquet"), table);
        fixture.wait("data beside a busy file", |now| now.set > Some(before));
        stop.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        if let Some(kept) = kept {
            fs::write(&path, kept).unwrap();
            fixture.wait("the end", |now| now.refused.is_empty());
        }
    }
}

#[test]
fn a_manifest_that_is_none_is_passed_over_with_its_number() {
    let fixture = Fixture::over(at_rest(), plain_market);
    fs::write(fixture.file("sets/99.json"), "{").unwrap();
    fs::write(fixture.file("sets/18446744073709551615.json"), "{").unwrap();
    rename(&fixture.file("stocks.parquet"), "Hundred");
    fixture.wait("a set above it", |now| now.set == Some(100));
    assert_eq!(fixture.now().trouble, None);
    // It does not block an external publication either.
    let home = Home::new(fixture.data());
    let back = home.roll_back(Market::India, 1, false).unwrap();
    assert_eq!(back.number, 101);
    fixture.wait("the set from outside", |now| now.set == Some(101));
    // A repeated rollback publishes nothing.
    assert_eq!(home.roll_back(Market::India, 100, false).unwrap().number, 102);
    assert_eq!(home.roll_back(Market::India, 100, false).unwrap().number, 102);
}

#[test]
fn a_manifest_that_was_taken_away_bounds_no_number() {
    let fixture = Fixture::over(at_rest(), plain_market);
    let path = fixture.file("sets/99.json");
    fs::write(&path, "{").unwrap();
    fixture.refresh();
    fs::remove_file(path).unwrap();
    fixture.refresh();
    rename(&fixture.file("stocks.parquet"), "Second");
    fixture.wait("the next number", |now| now.set == Some(2));
}

#[test]
fn files_that_the_disk_cannot_take_are_not_begun_with() {
    let fixture = Fixture::over(at_rest(), plain_market);
    let path = fixture.file("sectors.parquet");
    let kept = fs::read(&path).unwrap();
    // A sparse file, which takes no space on this disk.
    fs::File::create(&path).unwrap().set_len(1 << 43).unwrap();
    fixture.wait("trouble", |now| now.trouble.is_some());
    let trouble = fixture.now().trouble.unwrap();
    assert!(trouble.contains("MiB are free") && trouble.contains("free more space"), "{trouble}");
    assert_eq!(fixture.ready()["markets"]["india"]["trouble"], trouble.as_str());
    assert_eq!(fixture.get("companies?limit=1").status, 200);
    fs::write(&path, kept).unwrap();
    fixture.wait("the end of it", |now| now.trouble.is_none());
    assert!(fixture.ready()["markets"]["india"]["look_age_s"].as_u64().unwrap() < 60);
}

#[test]
fn operators_share_looks_and_pages_of_other_sites_get_none() {
    let fixture = Fixture::over(on_request(), plain_market);
    for (name, value) in [
        ("host", "evil.example"),
        ("host", "evil.example:9090"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        let refused = RUNTIME.block_on(fixture.ask_to_refresh(&[(name, value)]));
        let words = String::from_utf8_lossy(&refused.body).into_owned();
        assert!(refused.status == 403 && words.contains("pages of other sites"), "{name} {value}: {words}");
    }
    // Requests one after another are as far apart as refreshes; simultaneous ones share one or two.
    let began = Instant::now();
    for _ in 0..4 {
        assert_eq!(RUNTIME.block_on(fixture.ask_to_refresh(&[])).status, 200);
    }
    assert!(began.elapsed() >= Duration::from_millis(300), "{:?}", began.elapsed());
    let many = (0..500).map(|_| fixture.ask_to_refresh(&[]));
    let began = Instant::now();
    let replies = RUNTIME.block_on(futures::future::join_all(many));
    assert!(replies.iter().all(|reply| reply.status == 200));
    assert!(began.elapsed() < Duration::from_secs(25), "500 looks: {:?}", began.elapsed());
}
