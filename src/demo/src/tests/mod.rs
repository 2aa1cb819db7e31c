//! Checks the written files: a market of a few companies is written once and read back as text.
//!
//! The official layouts and plain arithmetic are the reference, not the model.

mod announcements;
mod filings;
mod statements;
mod stories;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use chrono::NaiveDate;

use crate::{DemoError, DemoOptions, MarketSize, write};

const SIZE: MarketSize = MarketSize { companies: 120, sessions: 300 };

pub(super) fn options() -> DemoOptions {
    DemoOptions { india: Some(SIZE), us: Some(SIZE), ..DemoOptions::small() }
}

pub(super) fn written(options: &DemoOptions) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), options, &mut |_, _, _| ()).unwrap();
    folder
}

/// The market that most tests read.
pub(super) static MARKET: LazyLock<tempfile::TempDir> = LazyLock::new(|| written(&options()));

pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { paths.extend(files(&path)) } else { paths.push(path) }
    }
    paths.sort();
    paths
}

fn hash(folder: &Path) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for path in files(folder) {
        hasher.update(path.strip_prefix(folder).unwrap().to_string_lossy().as_bytes());
        hasher.update(&std::fs::read(&path).unwrap());
    }
    hasher.finalize()
}

/// Returns the trimmed cells of a CSV file, without its header.
pub(super) fn rows(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path).unwrap();
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

pub(super) fn india(file: &str) -> Vec<Vec<String>> {
    rows(&MARKET.path().join("india").join(file))
}

fn us(file: &str) -> Vec<Vec<String>> {
    rows(&MARKET.path().join("us").join(file))
}

/// Returns closes of the US by symbol and date.
pub(super) fn us_closes() -> BTreeMap<String, BTreeMap<NaiveDate, f64>> {
    let mut closes: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for row in ["prices_2025.csv", "prices_2026.csv"].into_iter().flat_map(us) {
        closes.entry(row[0].clone()).or_default().insert(row[1].parse().unwrap(), row[5].parse().unwrap());
    }
    closes
}

/// Parses a price to paise or cents.
pub(super) fn minor(text: &str) -> i64 {
    text.replace('.', "").parse().unwrap_or_else(|_| panic!("`{text}` is no price"))
}

/// Returns India's rows of EQ, BE and SM by symbol, by date.
pub(super) fn india_bars() -> BTreeMap<String, Vec<(NaiveDate, Vec<String>)>> {
    let mut bars: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for path in files(&MARKET.path().join("india/prices")) {
        for row in rows(&path) {
            assert_eq!(row.len(), 15);
            let date = NaiveDate::parse_from_str(&row[2], "%d-%b-%Y").unwrap();
            bars.entry(row[0].clone()).or_default().push((date, row));
        }
    }
    for rows in bars.values_mut() {
        rows.sort();
    }
    bars
}

fn ex_dates() -> BTreeMap<(String, NaiveDate), f64> {
    let action = |row: &Vec<String>| ((row[0].clone(), row[1].parse().unwrap()), row[3].parse().unwrap());
    india("corporate_actions.csv").iter().map(action).collect()
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let tiny = DemoOptions {
        india: Some(MarketSize { companies: 60, sessions: 40 }),
        us: Some(MarketSize { companies: 60, sessions: 40 }),
        ..DemoOptions::small()
    };
    assert_eq!(hash(written(&tiny).path()), hash(written(&tiny).path()));
    let other = DemoOptions { seed: tiny.seed + 1, ..tiny.clone() };
    assert_ne!(hash(written(&tiny).path()), hash(written(&other).path()));
}

#[test]
fn a_company_stays_the_same_when_others_are_added() {
    let size = |companies| DemoOptions {
        india: None,
        us: Some(MarketSize { companies, sessions: 40 }),
        ..options()
    };
    let (few, many) = (written(&size(60)), written(&size(90)));
    let company_rows = |folder: &tempfile::TempDir| -> BTreeSet<_> {
        rows(&folder.path().join("us/prices_2026.csv")).into_iter().filter(|row| row[0] != "SPY").collect()
    };
    assert!(company_rows(&few).is_subset(&company_rows(&many)));
}

#[test]
fn prices_are_consistent_and_within_the_day() {
    for (symbol, rows) in india_bars() {
        for (date, row) in rows {
            let [open, high, low, close, average] = [4, 5, 6, 8, 9].map(|cell| minor(&row[cell]));
            assert!(low > 0 && low <= open.min(close) && open.max(close) <= high, "{symbol} {date}: {row:?}");
            assert!(row[7].is_empty() || (low..=high).contains(&minor(&row[7])), "{symbol} {date}: {row:?}");
            assert!((low..=high).contains(&average), "{symbol} {date}: {row:?}");
            if row[1] == "BE" {
                assert_eq!((row[13].as_str(), row[14].as_str()), ("-", "-"), "{symbol} {date}");
            } else {
                assert!(
                    row[13].parse::<u64>().unwrap() <= row[10].parse().unwrap(),
                    "{symbol} {date}: {row:?}"
                );
            }
        }
    }
    for row in us("prices_2026.csv") {
        let [open, high, low, close] = [2, 3, 4, 5].map(|cell| minor(&row[cell]));
        assert!(low > 0 && low <= open.min(close) && open.max(close) <= high, "{row:?}");
    }
}

#[test]
fn the_previous_close_is_that_of_the_bar_before() {
    for (symbol, rows) in india_bars() {
        for pair in rows.windows(2) {
            assert_eq!(pair[0].1[8], pair[1].1[3], "{symbol} {}", pair[1].0);
        }
    }
}

#[test]
fn no_price_leaves_its_band_except_on_ex_dates() {
    let bands: BTreeMap<_, _> = india("bands/sec_list_29102026.csv")
        .into_iter()
        .filter_map(|row| Some((row[0].clone(), row[3].parse::<i64>().ok()?)))
        .collect();
    assert!(bands.len() > 60);
    let (actions, mut locked) = (ex_dates(), 0);
    for (symbol, rows) in india_bars() {
        for (date, row) in rows.iter().filter(|(date, _)| !actions.contains_key(&(symbol.clone(), *date))) {
            // For stocks that are in BE on the next day the list has 5 %; no file has their earlier bands.
            let ends_in_spell = rows.last().is_some_and(|(_, last)| last[1] == "BE");
            let on_file = bands.get(&symbol).copied().filter(|_| !ends_in_spell);
            let band = if row[1] == "BE" { Some(5) } else { on_file };
            let Some(band) = band else { continue };
            let [previous, high, low, close] = [3, 5, 6, 8].map(|cell| minor(&row[cell]));
            assert!(high * 100 <= previous * (100 + band), "{symbol} {date}: {row:?} band {band}");
            assert!(low * 100 >= previous * (100 - band), "{symbol} {date}: {row:?} band {band}");
            locked += usize::from(high == low && close != previous);
        }
    }
    assert!(locked > 0, "no stock was ever locked at its band");
}

#[test]
fn splits_and_bonuses_lower_the_price_by_their_factor() {
    let (actions, bars) = (ex_dates(), india_bars());
    assert!(actions.len() >= 3, "{actions:?}");
    for ((symbol, date), factor) in actions {
        let row = &bars[&symbol].iter().find(|(day, _)| *day == date).unwrap().1;
        let ratio = minor(&row[8]) as f64 / minor(&row[3]) as f64;
        assert!((ratio / factor - 1.0).abs() < 0.27, "{symbol} {date}: {ratio} for {factor}");
    }
    for row in india("corporate_actions.csv") {
        let (kind, ratio) = row[2].split_once(' ').unwrap();
        let (a, b) = ratio.split_once(':').unwrap();
        let (a, b): (f64, f64) = (a.parse().unwrap(), b.parse().unwrap());
        let expected = if kind == "split" { a / b } else { b / (a + b) };
        assert!((row[3].parse::<f64>().unwrap() - expected).abs() < 1e-6, "{row:?}");
    }
}

#[test]
fn there_is_a_price_file_a_session_and_a_row_a_company() {
    let paths = files(&MARKET.path().join("india/prices"));
    assert_eq!(paths.len(), SIZE.sessions);
    let last = rows(paths.iter().find(|path| path.ends_with("sec_bhavdata_full_30102026.csv")).unwrap());
    let equities = last.iter().filter(|row| row[1] == "EQ" || row[1] == "BE").count();
    assert!((110..=121).contains(&equities), "{equities} equity rows");
    assert!(last.iter().any(|row| row[0] == "NIFTYBEES") && last.iter().any(|row| row[1] == "SM"));
    let sessions: BTreeSet<_> = us("prices_2026.csv").into_iter().map(|row| row[1].clone()).collect();
    assert!(sessions.contains("2026-10-30") && !sessions.contains("2026-09-07"));
}

#[test]
fn market_cap_is_issue_size_times_close() {
    let caps = india("mcap_30102026.csv");
    assert!(caps.len() >= 110);
    for row in &caps {
        let shares: i64 = row[7].parse().unwrap();
        assert_eq!(shares * minor(&row[8]), minor(&row[9]), "{row:?}");
        let crore = minor(&row[9]) as f64 / 1e9;
        assert!((50.0..2.5e6).contains(&crore), "{row:?}");
    }
}

#[test]
fn names_and_isins_are_unique_and_none_is_a_real_company() {
    let real_names = [
        "RELIANCE", "TCS", "INFY", "HDFCBANK", "ICICIBANK", "ITC", "SBIN", "LT", "AAPL", "MSFT", "NVDA",
        "AMZN", "GOOGL", "META", "TSLA", "XOM", "IBM", "Apple", "Microsoft", "Suzuki", "Maruti", "Mazda",
        "Tata", "Exxon",
    ];
    for (listed, isin) in [(india("EQUITY_L.csv"), Some(6)), (us("listings.csv"), None)] {
        let unique = |cell: usize| listed.iter().map(|row| row[cell].clone()).collect::<BTreeSet<_>>().len();
        assert_eq!((unique(0), unique(1)), (listed.len(), listed.len()));
        assert!(isin.is_none_or(|cell| unique(cell) == listed.len()));
        for row in &listed {
            assert!(real_names.iter().all(|name| row[0] != *name && !row[1].starts_with(name)), "{row:?}");
        }
    }
}

#[test]
fn index_lists_keep_their_proportions() {
    let first = files(&MARKET.path().join("india"))
        .into_iter()
        .filter(|path| path.file_name().is_some_and(|name| name == "ind_nifty500list.csv"))
        .collect::<Vec<_>>();
    assert_eq!(first.len(), 2, "two dates");
    let folder = first[1].parent().unwrap();
    assert_eq!(files(folder).len(), 30);
    let count = |stem: &str| rows(&folder.join(format!("{stem}.csv"))).len();
    // 60 % of 120 companies; the partial lists add up to it.
    assert_eq!(count("ind_nifty500list"), 72);
    let parts =
        count("ind_nifty100list") + count("ind_niftymidcap150list") + count("ind_niftysmallcap250list");
    assert_eq!(parts, 72);
    assert!(files(folder).iter().all(|path| !rows(path).is_empty()));
}

#[test]
fn indices_of_a_full_market_have_as_many_members_as_their_names_say() {
    let size = Some(MarketSize { companies: 900, sessions: 6 });
    let folder = written(&DemoOptions { india: size, us: size, ..DemoOptions::small() });
    let count = |file: &str| rows(&folder.path().join(file)).len();
    let lists: Vec<_> = files(&folder.path().join("india"))
        .into_iter()
        .filter(|path| path.ends_with("ind_nifty50list.csv"))
        .collect();
    let list = |stem: &str| rows(&lists[0].with_file_name(format!("{stem}.csv"))).len();
    assert_eq!(["ind_nifty50list", "ind_niftynext50list", "ind_nifty500list"].map(list), [50, 50, 500]);
    assert_eq!(["ind_niftymidcap150list", "ind_niftysmallcap250list"].map(list), [150, 250]);
    assert_eq!(["us/SP500.csv", "us/NDX100.csv", "us/DOW30.csv"].map(count), [500, 100, 30]);
}

/// The members of a list on the first session are the largest companies then, and those of a sector's list are in the sector.
#[test]
fn index_lists_hold_the_largest() {
    let list = |stem: &str| -> BTreeMap<String, String> {
        let lists = files(&MARKET.path().join("india"));
        let first = lists.iter().find(|path| path.ends_with(format!("{stem}.csv"))).unwrap();
        rows(first).into_iter().map(|row| (row[2].clone(), row[1].clone())).collect()
    };
    let fifty = list("ind_nifty50list");
    let first = files(&MARKET.path().join("india"));
    let first = first.iter().find(|path| {
        path.to_string_lossy().ends_with("2025.csv") && path.to_string_lossy().contains("mcap_")
    });
    let mut caps = rows(first.unwrap());
    caps.retain(|row| row[2] == "EQ" || row[2] == "BE");
    caps.sort_by_key(|row| std::cmp::Reverse(minor(&row[9])));
    let largest: BTreeSet<String> = caps.iter().take(fifty.len()).map(|row| row[1].clone()).collect();
    assert_eq!(fifty.keys().cloned().collect::<BTreeSet<_>>(), largest);
    for (stem, sector) in [
        ("ind_niftyautolist", "Automobile and Auto Components"),
        ("ind_niftyitlist", "Information Technology"),
        ("ind_niftybanklist", "Financial Services"),
        ("ind_niftymetallist", "Metals & Mining"),
    ] {
        assert!(list(stem).values().all(|of| of == sector), "{stem}");
    }
}

#[test]
fn sizes_out_of_bounds_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let none = DemoOptions { us: Some(MarketSize { companies: 0, sessions: 10 }), ..options() };
    let none = DemoOptions { india: None, ..none };
    let refused = write(folder.path(), &none, &mut |_, _, _| ());
    assert!(matches!(refused, Err(DemoError::Size { companies: 0, .. })));
}
