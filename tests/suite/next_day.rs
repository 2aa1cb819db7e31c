//! The next day: derivation onto an existing set gives the same tables as derivation from raw files alone, and years with unchanged
//! inputs are reused.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use chrono::NaiveDate;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Float64Type;
use parquote::derive::{AllowedFaults, DeriveOptions, Publishing, derive};
use parquote::operation::Market;
use parquote::raw::{Progress, SilentProgress, UnpackBounds};
use parquote_demo::{DemoOptions, MarketSize};

use crate::demo_market::{CATALOGUE, RUNTIME, SHIPPED, YEARS, copy_folder, file, named, open};
use crate::look_ahead::copy_until;
use crate::tables;

#[test]
fn a_day_more_gives_what_all_days_give_and_leaves_closed_years_alone() {
    // The market ends on Friday, 30 October 2026; no action is due on that day.
    let day_before = NaiveDate::from_ymd_opt(2026, 10, 29).unwrap();
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let data = data.path();
    copy_until(&YEARS.raw, raw.path(), day_before);
    derive_india(raw.path(), data);
    // A reused file is a hard link to the old one, so its inode number is the same.
    let before = numbers(data);
    derive_india(&YEARS.raw, data);
    let after = numbers(data);
    let taken_over = |table: &str, year: u32| {
        let file = PathBuf::from(format!("{table}/{year}.parquet"));
        before.get(&file).unwrap() == after.get(&file).unwrap()
    };
    for table in [
        "daily_prices", "indicators", "held_scores", "rs_history", "rs_ratings", "session_prices",
        "session_breadth", "sector_growths", "industry_growths",
    ] {
        assert!(taken_over(table, 2025), "{table}: 2025 was made again");
        assert!(!taken_over(table, 2026), "{table}: 2026 was not made again");
    }
    assert_eq!(differing(data, &YEARS.data), Vec::<PathBuf>::new());
}

#[test]
fn a_stock_that_is_listed_later_leaves_the_growth_of_its_sector_in_closed_years_alone() {
    // A demo stock has its first bar on 4 June 2026.
    let [before, listed] = [3, 4].map(|day| NaiveDate::from_ymd_opt(2026, 6, day).unwrap());
    let (raw, more) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (data, alone) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy_until(&SHIPPED.raw, raw.path(), before);
    derive_india(raw.path(), data.path());
    let (files, companies) = (numbers(data.path()), companies(data.path()));
    copy_until(&SHIPPED.raw, more.path(), listed);
    derive_india(more.path(), data.path());
    assert_eq!(self::companies(data.path()), companies + 1);
    let after = numbers(data.path());
    for table in ["sector_growths", "industry_growths"] {
        let file = PathBuf::from(format!("{table}/2025.parquet"));
        assert_eq!(files.get(&file).unwrap(), after.get(&file).unwrap(), "{table}: 2025 was made again");
    }
    derive_india(more.path(), alone.path());
    assert_eq!(differing(data.path(), alone.path()), Vec::<PathBuf>::new());
}

/// Figures of closed years are in shares of a stock's first bar, so a split of this year leaves their files unchanged.
#[test]
fn a_split_leaves_closed_years_alone() {
    let split = "symbol,ex_date,action,factor\n{stock},2026-10-28,split 1:3,0.333333\n";
    for (file, stays) in remade_by(split) {
        assert!(stays || file.ends_with("2026.parquet"), "{} was made again", file.display());
    }
}

#[test]
fn an_action_that_comes_late_reaches_back_into_closed_years() {
    let remade = remade_by("symbol,ex_date,action,factor\n{stock},2025-12-10,split 1:2,0.5\n");
    for table in ["daily_prices", "indicators", "session_prices"] {
        let file = PathBuf::from(format!("{table}/2025.parquet"));
        assert!(!remade[&file], "{table}: the split was not followed back");
    }
}

/// Its bars are unchanged, but today's figures about the last of them are not.
#[test]
fn a_split_of_a_stock_that_rests_rescales_its_last_bar() {
    let (raw, data, alone) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let files = long_market(raw.path());
    let resting = stocks_in(&[&files[0], &files[299]]).swap_remove(0);
    for file in &files[300..] {
        without(file, std::slice::from_ref(&&resting));
    }
    let last_close = || {
        let rows = tables::read(&file(data.path(), "india/latest_bars.parquet"));
        let symbols = rows.column_by_name("symbol").unwrap().as_string_view().iter();
        let closes = rows.column_by_name("adj_close").unwrap().as_primitive::<Float64Type>().values();
        let of_stock = symbols.zip(closes).find(|(symbol, _)| *symbol == Some(&resting));
        *of_stock.unwrap().1
    };
    derive_india(raw.path(), data.path());
    let before = last_close();
    let split = format!("symbol,ex_date,action,factor\n{resting},2026-10-29,split 1:4,0.25\n");
    fs::write(raw.path().join("india/later_actions.csv"), split).unwrap();
    derive_india(raw.path(), data.path());
    derive_india(raw.path(), alone.path());
    assert!((4.0 * last_close() / before - 1.0).abs() < 1e-12, "{before} became {}", last_close());
    assert_eq!(differing(data.path(), alone.path()), Vec::<PathBuf>::new());
}

/// Derives a market again with more actions of a `{stock}` that always trades; returns true for each long table's file that was reused.
fn remade_by(actions: &str) -> BTreeMap<PathBuf, bool> {
    let (raw, data, alone) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy_folder(&YEARS.raw, raw.path());
    copy_folder(&YEARS.sets, data.path());
    let before = numbers(data.path());
    let prices = raw.path().join("india/prices");
    unpack(&prices);
    let files = price_files(&prices);
    let stock = stocks_in(&[&files[0], &files[files.len() - 1]]).swap_remove(0);
    let actions = actions.replace("{stock}", &stock);
    fs::write(raw.path().join("india/later_actions.csv"), actions).unwrap();
    derive_india(raw.path(), data.path());
    derive_india(raw.path(), alone.path());
    assert_eq!(differing(data.path(), alone.path()), Vec::<PathBuf>::new());
    let after = numbers(data.path());
    let of_years = before.iter().filter(|(file, _)| file.parent() != Some(Path::new("")));
    of_years.map(|(file, number)| (file.clone(), after.get(file) == Some(number))).collect()
}

#[test]
fn parsed_files_are_cached_beside_the_tables_and_never_served() {
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let data = data.path();
    copy_folder(&YEARS.raw, raw.path());
    // The cache folder of an older program is ignored.
    fs::create_dir_all(data.join(".read/india")).unwrap();
    fs::write(data.join(".read/india/index"), "of another program").unwrap();
    derive_india(raw.path(), data);
    let cache = data.join(".parse_cache/india");
    let cached = || -> BTreeMap<PathBuf, SystemTime> {
        let files = fs::read_dir(cache.join("prices")).unwrap().flatten();
        files.map(|file| (file.path(), file.metadata().unwrap().modified().unwrap())).collect()
    };
    let (first, id) = (cached(), open(data).unwrap().id().to_owned());
    assert!(!first.is_empty());
    // A server sees only the tables, whatever is in the hidden folder.
    fs::copy(file(data, "india/companies.parquet"), cache.join("companies.parquet")).unwrap();
    fs::copy(file(data, "india/companies.parquet"), data.join(".parse_cache/companies.parquet")).unwrap();
    assert_eq!(open(data).unwrap().id(), id);
    assert!(!named(data, Market::India).into_keys().any(|file| file.starts_with(".parse_cache")));
    derive_india(raw.path(), data);
    assert_eq!(cached(), first, "files that are as they were were parsed again");
    assert_eq!(differing(data, &YEARS.data), Vec::<PathBuf>::new());
    // A full rebuild takes nothing from the cache and fills it again.
    let options = DeriveOptions { full: true, ..options(raw.path(), data) };
    RUNTIME.block_on(derive(&CATALOGUE, Market::India, &options, &SilentProgress)).unwrap();
    assert!(!cache.join("companies.parquet").exists(), "the cache was not emptied");
    assert_eq!(cached().into_keys().collect::<Vec<_>>(), first.into_keys().collect::<Vec<_>>());
    assert_eq!(differing(data, &YEARS.data), Vec::<PathBuf>::new());
}

/// All stocks are derived, including inactive ones, because the table of last bars is one file with a row per stock.
#[test]
fn a_day_on_which_much_happens_gives_what_all_days_give() {
    let (before, on_top, all) = busy_day(Names::Stay);
    assert_eq!((before, on_top, all), (all - 1, all, all));
}

/// The bars of all years move to another symbol, also in the lists of price bands.
#[test]
fn a_new_name_gives_what_all_days_give() {
    let (before, on_top, all) = busy_day(Names::Change);
    assert_eq!((before, on_top, all), (all - 1, all, all));
}

/// Names of stocks on the last day: unchanged, or one changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Stay,
    Change,
}

/// Derives a day on which a stock splits, one jumps, one is listed, two inactive ones return, and one may be renamed. Returns the number of
/// stocks derived the day before, on that day, and in a derivation of all days at once.
fn busy_day(names: Names) -> (u64, u64, u64) {
    let (raw, data, alone) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let files = long_market(raw.path());
    let (last, earlier) = files.split_last().unwrap();
    let text = fs::read_to_string(last).unwrap();
    let stocks = &stocks_in(&[&files[0], &files[300], last])[..8];
    let [split, renamed, jumping, listed, back, back_late, gone, gone_early] = stocks else {
        panic!("{stocks:?}")
    };
    for (number, file) in earlier.iter().enumerate() {
        let absent: Vec<&String> = [
            (listed, 0..files.len()),
            (back, files.len() - 90..files.len()),
            (back_late, 300..files.len()),
            (gone, files.len() - 40..files.len()),
            (gone_early, 300..files.len()),
        ]
        .into_iter()
        .filter_map(|(stock, absent)| absent.contains(&number).then_some(stock))
        .collect();
        without(file, &absent);
    }
    fs::remove_file(last).unwrap();
    let before = stocks_passed(raw.path(), data.path());

    let text = match names {
        Names::Stay => text,
        Names::Change => text.replace(&format!("{renamed}, "), "RENAMED, "),
    };
    let lines = text.lines().filter(|line| ![gone, gone_early].iter().any(|stock| is_of(line, stock)));
    let lines = lines.map(|line| if is_of(line, jumping) { doubled(line) } else { line.to_owned() });
    fs::write(last, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let india = raw.path().join("india");
    if names == Names::Change {
        let change = format!("A company,{renamed},RENAMED,30-OCT-2026\n");
        fs::write(india.join("symbolchange.csv"), change).unwrap();
    }
    let action = format!("symbol,ex_date,action,factor\n{split},2026-10-30,split 1:3,0.333333\n");
    fs::write(india.join("later_actions.csv"), action).unwrap();
    let on_top = stocks_passed(raw.path(), data.path());
    let all = stocks_passed(raw.path(), alone.path());
    assert_eq!(differing(data.path(), alone.path()), Vec::<PathBuf>::new());
    (before, on_top, all)
}

/// Several days in turn, also across the end of a year: each gives the same tables as a derivation of all days.
#[test]
fn days_upon_days_give_what_all_days_give() {
    // All three are made before the market: it moves later temporary folders to another file system, and `fs::rename` needs the same one.
    let [raw, data, held] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let files = long_market(raw.path());
    let hidden = |file: &PathBuf| held.path().join(file.file_name().unwrap());
    let new_year = files.iter().position(|file| file.to_str().unwrap().ends_with("2026.csv")).unwrap();
    for file in &files[new_year - 2..] {
        fs::rename(file, hidden(file)).unwrap();
    }
    derive_india(raw.path(), data.path());
    for days in [new_year - 2..new_year, new_year..new_year + 1, new_year + 1..new_year + 70] {
        for file in &files[days] {
            fs::rename(hidden(file), file).unwrap();
        }
        derive_india(raw.path(), data.path());
        let alone = tempfile::tempdir().unwrap();
        derive_india(raw.path(), alone.path());
        assert_eq!(differing(data.path(), alone.path()), Vec::<PathBuf>::new());
    }
}

/// Raw files of a few companies over three and a half years.
static LONG: LazyLock<PathBuf> = LazyLock::new(|| {
    let raw = YEARS.raw.with_file_name("long");
    let india = Some(MarketSize { companies: 30, sessions: 900 });
    let options = DemoOptions { india, us: None, ..DemoOptions::small() };
    parquote_demo::write(&raw, &options, &mut |_, _, _| {}).unwrap();
    unpack(&raw.join("india/prices"));
    raw
});

/// Copies these raw files; returns the price files, the oldest first.
pub(crate) fn long_market(raw: &Path) -> Vec<PathBuf> {
    copy_folder(&LONG, raw);
    price_files(&raw.join("india/prices"))
}

/// Unpacks the price files from their archives.
pub(crate) fn unpack(prices: &Path) {
    for entry in fs::read_dir(prices).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "zip") {
            zip::ZipArchive::new(File::open(&path).unwrap()).unwrap().extract(prices).unwrap();
            fs::remove_file(path).unwrap();
        }
    }
}

/// Returns the price files of a folder, the oldest first.
pub(crate) fn price_files(prices: &Path) -> Vec<PathBuf> {
    let dated = |path: PathBuf| {
        let day = path.file_stem()?.to_str()?.strip_prefix("sec_bhavdata_full_")?;
        Some((NaiveDate::parse_from_str(day, "%d%m%Y").ok()?, path))
    };
    let files = fs::read_dir(prices).unwrap().filter_map(|entry| dated(entry.unwrap().path()));
    let files: BTreeMap<NaiveDate, PathBuf> = files.collect();
    files.into_values().collect()
}

fn is_of(line: &str, stock: &str) -> bool {
    line.strip_prefix(stock).is_some_and(|rest| rest.starts_with(", EQ"))
}

/// Returns the common stocks that trade in all of these files.
fn stocks_in(files: &[&PathBuf]) -> Vec<String> {
    let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let stocks =
        texts[0].lines().filter_map(|line| line.split_once(", EQ")).map(|(stock, _)| stock.to_owned());
    let trades = |stock: &String| texts.iter().all(|text| text.lines().any(|line| is_of(line, stock)));
    // Funds have EQ lines too; in the demo the symbols of companies have ten letters.
    stocks.filter(trades).filter(|stock| stock.len() == 10).collect()
}

fn without(file: &Path, stocks: &[&String]) {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().filter(|line| !stocks.iter().any(|stock| is_of(line, stock)));
    fs::write(file, lines.collect::<Vec<_>>().join("\n")).unwrap();
}

/// Returns the line with its prices doubled.
fn doubled(line: &str) -> String {
    let cell = |(place, cell): (usize, &str)| match cell.trim().parse::<f64>() {
        Ok(price) if (4..=9).contains(&place) => format!(" {:.2}", 2.0 * price),
        _ => cell.to_owned(),
    };
    line.split(',').enumerate().map(cell).collect::<Vec<_>>().join(",")
}

pub(crate) fn derive_india(raw: &Path, data: &Path) {
    stocks_passed(raw, data);
}

/// Derives the tables and returns the number of stocks derived.
fn stocks_passed(raw: &Path, data: &Path) -> u64 {
    let passed = PassedStocks::default();
    RUNTIME.block_on(derive(&CATALOGUE, Market::India, &options(raw, data), &passed)).unwrap();
    passed.0.load(Ordering::Relaxed)
}

fn options(raw: &Path, data: &Path) -> DeriveOptions {
    let (raw, data) = (raw.to_owned(), data.to_owned());
    let (allow, publishing) = (AllowedFaults::default(), Publishing::default());
    DeriveOptions {
        raw,
        data,
        as_of: None,
        lists_as_of: None,
        full: false,
        use_parse_cache: true,
        allow,
        bounds: UnpackBounds::default(),
        // Some bars are spilled to a file; the tables compared with were derived with all bars in memory.
        bars_memory_bytes: Some(1 << 16),
        publishing,
        units: None,
        kept_tables_source: None,
    }
}

/// The number of stocks that derivation reports to go through.
#[derive(Default)]
struct PassedStocks(AtomicU64);

impl Progress for PassedStocks {
    fn start(&self, what: &str, total: u64) {
        if what == "deriving symbol by symbol" {
            self.0.store(total, Ordering::Relaxed);
        }
    }

    fn advance(&self, _: u64) {}

    fn finish(&self) {}
}

/// Returns the number of companies of a set.
fn companies(data: &Path) -> usize {
    tables::read(&file(data, "india/companies.parquet")).num_rows()
}

/// Returns the inode numbers of India's table files.
pub(crate) fn numbers(data: &Path) -> BTreeMap<PathBuf, u64> {
    let number = |path: &PathBuf| fs::metadata(path).unwrap().ino();
    named(data, Market::India).into_iter().map(|(name, path)| (name, number(&path))).collect()
}

/// Returns India's tables whose files differ between two sets in any byte. The free symbols are excluded: they are those of the first
/// derivation.
pub(crate) fn differing(one: &Path, other: &Path) -> Vec<PathBuf> {
    let [one, other] = [one, other].map(|data| named(data, Market::India));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    assert!(one.len() > 30, "only {} files", one.len());
    let differ = |((name, one), other): &((&PathBuf, &PathBuf), &PathBuf)| {
        *name != Path::new("free_symbols.parquet") && fs::read(one).unwrap() != fs::read(other).unwrap()
    };
    one.iter().zip(other.values()).filter(differ).map(|((name, _), _)| name.clone()).collect()
}
