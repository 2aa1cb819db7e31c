//! No look-ahead: with the raw prices cut at a day, and the same reference lists, no row up to that day
//! changes by a bit. Prices are stored in shares of a stock's first bar, so that later splits do not rescale them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use chrono::NaiveDate;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use parquote::operation::{Market, Table};

use crate::demo_market::{CATALOGUE, RUNTIME, SHIPPED, derive_into};

/// Tables with a row per session, whose figures must not look ahead. Others contain only the present.
const DATED: [&str; 13] = [
    "daily_prices", "indicators", "held_scores", "rs_history", "rs_ratings", "session_prices", "breadth",
    "benchmark", "sector_indices", "industry_indices", "session_breadth", "sector_growths",
    "industry_growths",
];

/// The day at which raw prices are cut, within the sessions that spells cover. Three demo actions of India have a later ex-date, and
/// two of the US.
const DAY: NaiveDate = NaiveDate::from_ymd_opt(2026, 8, 21).unwrap();

/// The folder of the tables derived from prices up to that day.
static CUT: LazyLock<PathBuf> = LazyLock::new(|| {
    let (raw, cut) = (tempfile::tempdir().unwrap(), SHIPPED.raw.with_file_name("cut"));
    copy_until(&SHIPPED.raw, raw.path(), DAY);
    derive_into(raw.path(), &cut, None);
    cut
});

#[test]
fn no_figure_knows_the_future() {
    let mut seen = 0;
    for market in Market::ALL {
        for name in DATED {
            let Some(table) = CATALOGUE.table(market, name) else { continue };
            if hangs_on_caps(market, name) {
                continue;
            }
            let differences = RUNTIME.block_on(differing(table, market, &CUT, DAY));
            assert_eq!(differences, 0, "{market}.{name}: rows up to {DAY} differ once later days are read");
            seen += 1;
        }
    }
    assert!(seen >= 14, "only {seen} tables were compared");
}

#[test]
fn the_cut_has_actions_behind_it() {
    let sql = format!("SELECT count(*) FROM a WHERE ex_date > DATE '{DAY}'");
    for market in Market::ALL {
        let context = SessionContext::new();
        let path = SHIPPED.data.join(market.word()).join("corporate_actions.parquet");
        let later = RUNTIME.block_on(async {
            context
                .register_parquet("a", path.to_str().unwrap(), ParquetReadOptions::default())
                .await
                .unwrap();
            count(&context, &sql).await
        });
        assert!(later > 0, "{market}: no action behind the cut, so nothing could be rescaled");
    }
}

/// Past scans, as recorded by spells, equal those returned on that day; and no spell that began after the first session of the newest
/// spells has another start.
#[test]
fn spells_tell_the_scans_that_were_answered_on_the_day() {
    const SCANS: [(&str, &str); 10] = [
        ("stage2", "in_stage2"),
        ("nearHigh", "in_near_high"),
        ("highVol", "in_high_vol"),
        ("vcp", "is_eligible AND vcp"),
        ("brs", "in_brs"),
        ("volume", "in_volume"),
        ("ipo", "in_ipo"),
        ("stage2NearHigh", "in_stage2_near_high"),
        ("allThree", "in_all_three"),
        ("all", "in_any"),
    ];
    let answered: Vec<String> = SCANS
        .iter()
        .map(|(scan, flag)| format!("SELECT symbol, '{scan}' AS scan_name FROM cut_scans WHERE {flag}"))
        .collect();
    let told = format!(
        "SELECT symbol, scan_name FROM full_scan_spells \
         WHERE entered_on <= DATE '{DAY}' AND (left_on IS NULL OR left_on > DATE '{DAY}')"
    );
    let (answered, first) = (answered.join(" UNION ALL "), "(SELECT MIN(entered_on) FROM full_scan_spells)");
    let differing = format!(
        "SELECT count(*) FROM ({answered}) a FULL JOIN ({told}) t ON t.symbol = a.symbol AND t.scan_name = a.scan_name \
         WHERE a.symbol IS NULL OR t.symbol IS NULL"
    );
    let moved = format!(
        "SELECT count(*) FROM (SELECT * FROM cut_scan_spells WHERE entered_on > {first}) c \
         FULL JOIN (SELECT * FROM full_scan_spells WHERE entered_on > {first} AND entered_on <= DATE '{DAY}') f \
         ON f.symbol = c.symbol AND f.scan_name = c.scan_name AND f.entered_on = c.entered_on \
         WHERE c.symbol IS NULL OR f.symbol IS NULL OR c.left_on IS NOT NULL AND c.left_on <> f.left_on"
    );
    for market in Market::ALL {
        RUNTIME.block_on(async {
            let context = both_sides(market, &["scans", "scan_spells"], &CUT).await;
            for (_, flag) in SCANS {
                let held = count(&context, &format!("SELECT count(*) FROM cut_scans WHERE {flag}")).await;
                assert!(
                    held > 0 || flag.contains("vcp"),
                    "{market}: nothing is in {flag}, so nothing is compared"
                );
            }
            assert_eq!(count(&context, &differing).await, 0, "{market}: {told}");
            assert_eq!(count(&context, &moved).await, 0, "{market}: spells moved");
        });
    }
}

/// Returns true for columns that depend on US listings, which have no date and count as of the last session: splits before another last
/// session change their number of shares. Rows with a later day's number are marked as assumed.
fn hangs_on_caps(market: Market, name: &str) -> bool {
    market == Market::Us
        && (name.starts_with("market_cap") || name.ends_with("_indices") || name.ends_with("_growths"))
}

/// Copies raw files without prices after the day; lists are unchanged.
pub(crate) fn copy_until(from: &Path, to: &Path, day: NaiveDate) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let target = to.join(&name);
        if path.is_dir() {
            copy_until(&path, &target, day);
        } else if let Some(date) =
            name.strip_prefix("sec_bhavdata_full_").and_then(|rest| rest.strip_suffix(".csv"))
        {
            if NaiveDate::parse_from_str(date, "%d%m%Y").unwrap() <= day {
                fs::copy(&path, &target).unwrap();
            }
        } else if name.starts_with("prices_") {
            let text = fs::read_to_string(&path).unwrap();
            let is_kept = |line: &&str| {
                line.split(',').nth(1).is_none_or(|date| date == "date" || date <= day.to_string().as_str())
            };
            let kept: Vec<&str> = text.lines().filter(is_kept).collect();
            fs::write(&target, kept.join("\n")).unwrap();
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Counts rows up to the day that one side lacks or that differ in any figure.
async fn differing(table: &Table, market: Market, cut: &Path, day: NaiveDate) -> i64 {
    let context = both_sides(market, &[&table.name], cut).await;
    count(&context, &comparison(table, market, day)).await
}

/// Registers the tables of the full and of the cut market, prefixed `full_` and `cut_`.
async fn both_sides(market: Market, tables: &[&str], cut: &Path) -> SessionContext {
    let context = SessionContext::new();
    for (side, data) in [("full", SHIPPED.data.as_path()), ("cut", cut)] {
        for name in tables {
            let is_yearly = CATALOGUE.table(market, name).unwrap().yearly;
            let file = if is_yearly { (*name).to_owned() } else { format!("{name}.parquet") };
            let named = data.join(market.word()).join(file);
            // There is only one set, so a table's folder contains only its files.
            let hashed = data.join(market.word()).join("files").join(name);
            let path = if hashed.is_dir() { hashed } else { named };
            let path = path.to_str().unwrap();
            let name = format!("{side}_{name}");
            context.register_parquet(&name, path, ParquetReadOptions::default()).await.unwrap();
        }
    }
    context
}

/// Returns SQL that counts the differing rows.
fn comparison(table: &Table, market: Market, day: NaiveDate) -> String {
    let name = &table.name;
    let same: Vec<String> = table.key.iter().map(|key| format!("f.{key} = c.{key}")).collect();
    let same = same.join(" AND ");
    let differs: Vec<String> = table
        .columns_in(market)
        .filter(|column| {
            !table.key.contains(&column.name)
                && !hangs_on_caps(market, &column.name)
                && !column.name.ends_with("assumed")
        })
        .map(|column| format!("(f.{0} IS DISTINCT FROM c.{0})", column.name))
        .collect();
    format!(
        "SELECT count(*) FROM (SELECT * FROM full_{name} WHERE session <= DATE '{day}') f \
         FULL JOIN cut_{name} c ON {same} \
         WHERE f.session IS NULL OR c.session IS NULL OR {}",
        differs.join(" OR ")
    )
}

async fn count(context: &SessionContext, sql: &str) -> i64 {
    let rows = context.sql(sql).await.unwrap().collect().await.unwrap();
    rows[0].column(0).as_primitive::<Int64Type>().value(0)
}
