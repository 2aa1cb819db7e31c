//! The next day: what is derived onto a set that is there is what raw files alone give, and years whose inputs stand are
//! taken over as they are.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use parquote::derive::raw::Silent;
use parquote::derive::{DeriveOptions, derive};
use parquote::operation::Market;

use crate::demo_market::{CATALOGUE, RUNTIME, SHIPPED, copy_folder, open};
use crate::look_ahead::copy_until;
use crate::tables;

#[test]
fn a_day_more_gives_what_all_days_give_and_leaves_closed_years_alone() {
    // The shipped demo market ends on Friday, 30 October 2026; no action is due on that day.
    let day_before = NaiveDate::from_ymd_opt(2026, 10, 29).unwrap();
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let data = data.path();
    copy_until(&SHIPPED.raw, raw.path(), day_before);
    derive_india(raw.path(), data);
    // A file that is taken over is the same file under another name: it keeps its number.
    let before = numbers(&data.join("india"));
    derive_india(&SHIPPED.raw, data);
    let after = numbers(&data.join("india"));
    let taken_over = |table: &str, year: u32| {
        let file = PathBuf::from(format!("{table}/{year}.parquet"));
        before.get(&file).unwrap() == after.get(&file).unwrap()
    };
    for table in ["daily_prices", "indicators", "rs_scores", "rs_history", "session_prices"] {
        assert!(taken_over(table, 2025), "{table}: 2025 was made again");
        assert!(!taken_over(table, 2026), "{table}: 2026 was not made again");
    }
    assert_eq!(differing(data, &SHIPPED.data), Vec::<PathBuf>::new());
}

#[test]
fn an_action_that_comes_later_reaches_back_into_closed_years() {
    let (raw, data, alone) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy_folder(&SHIPPED.raw, raw.path());
    derive_india(raw.path(), data.path());
    let unchanged = numbers(&data.path().join("india"));
    let split = "symbol,ex_date,action,factor\nBAXIPAPOWR,2026-10-28,split 1:2,0.5\n";
    fs::write(raw.path().join("india/later_actions.csv"), split).unwrap();
    derive_india(raw.path(), data.path());
    derive_india(raw.path(), alone.path());
    let changed = numbers(&data.path().join("india"));
    let file = Path::new("daily_prices/2025.parquet");
    assert_ne!(unchanged.get(file).unwrap(), changed.get(file).unwrap(), "the split was not followed back");
    assert_eq!(differing(data.path(), alone.path()), Vec::<PathBuf>::new());
}

#[test]
fn price_files_are_remembered_beside_the_tables_and_never_served() {
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let data = data.path();
    copy_folder(&SHIPPED.raw, raw.path());
    derive_india(raw.path(), data);
    let (memory, india) = (data.join(".read/india"), data.join("india"));
    let pieces = || fs::metadata(memory.join("pieces")).unwrap();
    let (first, id) = (pieces().len(), open(data).unwrap().id().to_owned());
    assert!(first > 0 && memory.join("index").exists());
    // Whatever lies in the hidden folder, a server sees the tables only.
    fs::copy(india.join("companies.parquet"), memory.join("companies.parquet")).unwrap();
    fs::copy(india.join("companies.parquet"), data.join(".read/companies.parquet")).unwrap();
    assert_eq!(open(data).unwrap().id(), id);
    assert!(!files(&india).iter().any(|file| file.starts_with(".read")));
    derive_india(raw.path(), data);
    assert_eq!(pieces().len(), first, "files that are as they were were read again");
    assert_eq!(differing(data, &SHIPPED.data), Vec::<PathBuf>::new());
    // All anew: nothing of the memory is taken, and it is made again.
    let options = DeriveOptions { anew: true, ..options(raw.path(), data) };
    RUNTIME.block_on(derive(&CATALOGUE, Market::India, &options, &Silent)).unwrap();
    assert!(!memory.join("companies.parquet").exists(), "the memory was not begun anew");
    assert_eq!(pieces().len(), first);
    assert_eq!(differing(data, &SHIPPED.data), Vec::<PathBuf>::new());
}

fn derive_india(raw: &Path, data: &Path) {
    RUNTIME.block_on(derive(&CATALOGUE, Market::India, &options(raw, data), &Silent)).unwrap();
}

fn options(raw: &Path, data: &Path) -> DeriveOptions {
    let (raw, data) = (raw.to_owned(), data.to_owned());
    DeriveOptions { raw, data, as_of: None, lists_as_of: None, anew: false, remember: true }
}

/// The number that the system gives each table's file.
fn numbers(market: &Path) -> BTreeMap<PathBuf, u64> {
    let number = |path: &PathBuf| fs::metadata(market.join(path)).unwrap().ino();
    files(market).into_iter().map(|path| (path.clone(), number(&path))).collect()
}

/// Tables whose rows differ between two sets. The free symbols are those of the first derivation, by their own rule.
fn differing(one: &Path, other: &Path) -> Vec<PathBuf> {
    let (one, other) = (one.join("india"), other.join("india"));
    let (names, others) = (files(&one), files(&other));
    assert_eq!(names, others);
    assert!(names.len() > 30, "only {} files", names.len());
    let differ = |name: &PathBuf| {
        name != Path::new("free_symbols.parquet")
            && tables::read(&one.join(name)) != tables::read(&other.join(name))
    };
    names.into_iter().filter(differ).collect()
}

/// The Parquet files of a market, below its folder.
fn files(market: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![market.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "parquet") {
                found.push(path.strip_prefix(market).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}
