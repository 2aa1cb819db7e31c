//! Each kind of input is changed in turn: exactly the files made from it are made again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::ArrayRef;
use parquote::derive::{AllowedFaults, DeriveOptions, Publishing, derive};
use parquote::operation::{Catalogue, Market, PartitionBy, TableOrigin, embedded_files};
use parquote::raw::{SilentProgress, UnpackBounds};

use crate::demo_market::{RUNTIME, YEARS, copy_folder, named};
use crate::next_day::{derive_india, numbers, price_files, unpack};
use crate::tables::read;

/// A market that is derived repeatedly, each time with one more change.
struct Changing {
    raw: tempfile::TempDir,
    data: tempfile::TempDir,
    /// Query files that replace built-in ones.
    overlay: BTreeMap<String, String>,
}

/// The unchanged Indian market: its raw files without archives, and the set derived from them.
struct DerivedFixture {
    raw: PathBuf,
    data: PathBuf,
}

static DERIVED: LazyLock<DerivedFixture> = LazyLock::new(|| {
    let folder = YEARS.raw.with_file_name("unpacked");
    let derived = DerivedFixture { raw: folder.join("raw"), data: folder.join("data") };
    copy_folder(&YEARS.raw.join("india"), &derived.raw.join("india"));
    unpack(&derived.raw.join("india/prices"));
    derive_india(&derived.raw, &derived.data);
    derived
});

/// Returns true for files that a special rule writes in every derivation.
fn is_always_made(file: &Path) -> bool {
    file == Path::new("free_symbols.parquet")
}

/// The effect of a change.
struct Outcome {
    /// Files that were made again.
    again: BTreeSet<PathBuf>,
    /// Files whose rows differ from before.
    other_rows: BTreeSet<PathBuf>,
}

impl Changing {
    fn new() -> Self {
        let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        copy_folder(&DERIVED.raw, raw.path());
        copy_folder(&DERIVED.data, data.path());
        Self { raw, data, overlay: BTreeMap::new() }
    }

    fn catalogue(&self) -> Arc<Catalogue> {
        let overlay: Vec<(String, String)> = self.overlay.clone().into_iter().collect();
        Arc::new(Catalogue::with_overlay(&overlay).unwrap())
    }

    fn derive(&self) {
        let options = DeriveOptions {
            raw: self.raw.path().to_owned(),
            data: self.data.path().to_owned(),
            as_of: None,
            lists_as_of: None,
            full: false,
            use_parse_cache: true,
            allow: AllowedFaults::default(),
            bounds: UnpackBounds::default(),
            bars_memory_bytes: None,
            publishing: Publishing::default(),
            units: None,
            kept_tables_source: None,
        };
        RUNTIME.block_on(derive(&self.catalogue(), Market::India, &options, &SilentProgress)).unwrap();
    }

    fn outcome(&self) -> Outcome {
        let data = self.data.path();
        // Without metadata, which reading the files would include.
        let columns = |file: &Path| read(file).columns().to_vec();
        let rows = || -> BTreeMap<PathBuf, Vec<ArrayRef>> {
            named(data, Market::India).into_iter().map(|(name, path)| (name, columns(&path))).collect()
        };
        let (before, rows_before) = (numbers(data), rows());
        self.derive();
        let (after, rows_after) = (numbers(data), rows());
        let again = after.iter().filter(|(file, number)| before.get(*file) != Some(*number));
        let again: BTreeSet<PathBuf> =
            again.map(|(file, _)| file.clone()).filter(|file| !is_always_made(file)).collect();
        let other = rows_after.iter().filter(|(file, rows)| rows_before.get(*file) != Some(*rows));
        Outcome { again, other_rows: other.map(|(file, _)| file.clone()).collect() }
    }

    /// Changes the SQL file of a table and returns the effect.
    fn table(&mut self, name: &str, from: &str, to: &str) -> Outcome {
        let path = format!("tables/{name}.sql");
        let embedded = || embedded_files().iter().find(|(file, _)| *file == path).unwrap().1.to_owned();
        let text = self.overlay.entry(path.clone()).or_insert_with(embedded);
        assert!(text.contains(from), "{path} does not have: {from}");
        *text = text.replacen(from, to, 1);
        self.outcome()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.raw.path().join("india").join(name)
    }

    /// Changes the first row that contains a text and returns the effect.
    fn row(&self, file: &Path, holds: &str, with: impl FnOnce(&str) -> String) -> Outcome {
        let text = fs::read_to_string(file).unwrap();
        let row = text.lines().skip(1).find(|line| line.contains(holds)).unwrap();
        let changed = with(row);
        assert_ne!(row, changed);
        fs::write(file, text.replacen(row, &changed, 1)).unwrap();
        self.outcome()
    }

    /// Checks that all files with other rows were made again, and of the tables in one file only those that are due: the given `sources`,
    /// and tables that read a changed table.
    fn follows(&self, outcome: &Outcome, sources: &[&str]) {
        let Outcome { again, other_rows } = outcome;
        let missed: Vec<_> = other_rows.difference(again).filter(|file| !is_always_made(file)).collect();
        assert!(missed.is_empty(), "other rows in files that were taken over: {missed:?}");
        let catalogue = self.catalogue();
        // A long table counts as changed if any of its files was made again, a table in one file if its rows differ.
        let changed = |name: &str| {
            let file = PathBuf::from(format!("{name}.parquet"));
            other_rows.contains(&file) || again.iter().any(|file| file.starts_with(name))
        };
        let files = named(self.data.path(), Market::India);
        for table in catalogue.tables_in(Market::India) {
            let file = PathBuf::from(format!("{}.parquet", table.name));
            let TableOrigin::Derived(sql) = &table.origin else {
                let is_new = again.iter().any(|file| file.starts_with(&table.name)) || again.contains(&file);
                assert!(!is_new || sources.contains(&table.name.as_str()), "{} was made again", table.name);
                continue;
            };
            // Tables of a ledger are missing, as none was begun.
            let is_missing = !files.contains_key(&file);
            if table.yearly || is_missing || is_always_made(&file) || table.per == Some(PartitionBy::Symbol) {
                continue;
            }
            let words: Vec<&str> = sql.split_whitespace().map(|word| word.trim_end_matches(')')).collect();
            let read =
                words.windows(2).filter(|pair| ["FROM", "JOIN"].contains(&pair[0])).map(|pair| pair[1]);
            let is_own =
                |name: &str| words.windows(3).any(|some| some[0] == name && some[1..] == ["AS", "("]);
            let due: Vec<&str> =
                read.filter(|read| *read != table.name && !is_own(read) && changed(read)).collect();
            assert_eq!(again.contains(&file), !due.is_empty(), "{} reads changed {due:?}", table.name);
        }
    }
}

fn made(outcome: &Outcome) -> Vec<String> {
    outcome.again.iter().map(|file| file.to_string_lossy().into_owned()).collect()
}

const NONE: [&str; 0] = [];

/// Long tables made only from prices.
const OF_PRICES: [&str; 5] =
    ["daily_prices", "indicators", "held_scores", "session_prices", "session_breadth"];

/// Checks that no file of these tables and this year was made again.
fn untouched(outcome: &Outcome, tables: &[&str], year: &str) {
    for table in tables {
        let file = PathBuf::from(table).join(format!("{year}.parquet"));
        assert!(!outcome.again.contains(&file), "{table}: {year} was made again");
    }
}

#[test]
fn what_is_said_for_people_makes_nothing_again() {
    let mut market = Changing::new();
    let before = numbers(market.data.path());
    market.derive();
    assert_eq!(numbers(market.data.path()), before, "nothing has changed yet");
    for (table, from, to) in [
        ("sectors", "-- Sectors: the stocks", "-- Sectors: all stocks"),
        ("companies", "\"Name of the company.\"", "\"What the company is called.\""),
        ("phrase_drift", "on the call before.\"", "a call earlier.\""),
        (
            "sectors",
            "COUNT(*)                                    AS stock_count",
            "COUNT(*) AS /* all of them */ stock_count",
        ),
        ("sectors", "WHERE  sector", "where sector"),
        ("sectors", "-- stale-after-hours: 78", "-- stale-after-hours: 80"),
    ] {
        assert_eq!(made(&market.table(table, from, to)), NONE, "{table}: {to}");
    }
}

#[test]
fn a_rule_makes_its_own_table_again() {
    let mut market = Changing::new();
    let made = |outcome: Outcome| made(&outcome);
    assert_eq!(made(market.table("sectors", "session_ago(4)", "session_ago(3)")), ["sectors.parquet"]);
    // A changed rule with the same rows leaves all dependent tables unchanged.
    assert_eq!(made(market.table("benchmark", "benchmark 3", "benchmark 4")), ["benchmark.parquet"]);
    assert_eq!(
        made(market.table("phrase_drift", "mentions_before int count", "mentions_before int? count")),
        ["phrase_drift.parquet"]
    );
    let years = ["session_prices/2025.parquet", "session_prices/2026.parquet"];
    assert_eq!(
        made(market.table("session_prices", "turnover   number money", "turnover   number? money")),
        years
    );
}

#[test]
fn a_raw_row_makes_again_what_is_made_from_it() {
    let market = Changing::new();
    let outcome = market.row(&market.path("order_wins.csv"), ",", doubled_last_figure);
    assert_eq!(made(&outcome), ["order_wins.parquet"]);
    market.follows(&outcome, &["order_wins"]);

    let outcome = market.row(&market.path("industry.csv"), ",", |row| {
        let (symbol, _) = row.split_once(',').unwrap();
        format!("{symbol},Another industry")
    });
    market.follows(&outcome, &["companies"]);
    for year in ["2025", "2026"] {
        untouched(&outcome, &OF_PRICES, year);
        assert!(outcome.again.contains(&PathBuf::from("industry_growths").join(format!("{year}.parquet"))));
    }
}

#[test]
fn a_price_makes_again_its_year_and_those_behind_it() {
    let market = Changing::new();
    let prices = price_files(&market.path("prices"));
    let outcome = market.row(prices.last().unwrap(), ", EQ", raised);
    market.follows(&outcome, &["daily_prices", "bar_digests", "bar_spans", "price_jumps"]);
    untouched(&outcome, &OF_PRICES, "2025");
    untouched(&outcome, &["rs_history", "sector_growths", "industry_growths"], "2025");
    for table in ["daily_prices", "indicators", "session_prices", "session_breadth", "rs_history"] {
        assert!(outcome.again.contains(&PathBuf::from(table).join("2026.parquet")), "{table}");
    }

    let first_of_2026 = prices.iter().position(|file| file.to_str().unwrap().ends_with("2026.csv")).unwrap();
    let outcome = market.row(&prices[first_of_2026 - 20], ", EQ", raised);
    market.follows(&outcome, &["daily_prices", "bar_digests", "bar_spans", "price_jumps"]);
    for year in ["2025", "2026"] {
        for table in ["daily_prices", "indicators", "session_prices", "session_breadth"] {
            let file = PathBuf::from(table).join(format!("{year}.parquet"));
            assert!(outcome.again.contains(&file), "{}", file.display());
        }
    }
}

/// Returns a row with its last figure doubled.
fn doubled_last_figure(row: &str) -> String {
    let cells: Vec<&str> = row.split(',').collect();
    let place = cells.iter().rposition(|cell| cell.parse::<f64>().is_ok_and(|figure| figure > 0.0)).unwrap();
    let twice = (2.0 * cells[place].parse::<f64>().unwrap()).to_string();
    cells
        .iter()
        .enumerate()
        .map(|(at, cell)| if at == place { &twice } else { *cell })
        .collect::<Vec<_>>()
        .join(",")
}

/// Returns a price row with a hundredth more volume.
fn raised(row: &str) -> String {
    let mut cells: Vec<String> = row.split(',').map(str::to_owned).collect();
    let volume: i64 = cells[10].trim().parse().unwrap();
    cells[10] = format!(" {}", volume + volume / 100 + 1);
    cells.join(",")
}
