//! `parquote export` and `parquote query --out`: rows as files that other programs can read and that can be imported again.

use std::fs;
use std::path::Path;

use crate::demo_market::LITTLE;
use crate::program::run;

fn parquote(arguments: &[&str]) -> Result<String, String> {
    let (code, text, errors) = run(arguments);
    if code == Some(0) { Ok(text) } else { Err(errors) }
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Returns the printed answer of a SELECT on a data folder.
fn select(data: &Path, market: &str, sql: &str) -> String {
    parquote(&["query", "--data", path(data), "--market", market, sql]).unwrap()
}

#[test]
fn exported_tables_can_be_put_back() {
    let out = tempfile::tempdir().unwrap();
    for market in ["india", "us"] {
        let files = fs::read_dir(LITTLE.data.join(market)).unwrap().map(|file| file.unwrap().path());
        let tables = files.filter(|path| path.is_dir() || path.extension().is_some_and(|it| it == "parquet"));
        let names = tables.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
        let mut arguments: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        assert!(arguments.len() > 20 && arguments.contains(&"daily_prices".to_owned()), "{arguments:?}");
        let folder = out.path().join(market);
        let settings = ["export", "--data", path(&LITTLE.data), "--market", market, "--out", path(&folder)];
        arguments.splice(0..0, settings.map(str::to_owned));
        parquote(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
        assert!(
            folder.join("stocks.parquet").is_file() && folder.join("daily_prices/2026.parquet").is_file()
        );
        for table in ["stocks", "daily_prices"] {
            let sql = format!("SELECT COUNT(*) AS n, SUM(volume) AS v, MAX(session) AS s FROM {table}");
            assert_eq!(
                select(out.path(), market, &sql),
                select(&LITTLE.data, market, &sql),
                "{market} {table}"
            );
        }
    }
    let told = parquote(&["check", "--data", path(out.path())]).unwrap();
    assert!(told.contains("keeps its contract"), "{told}");
}

#[test]
fn the_rows_of_a_select_go_into_a_file() {
    let out = tempfile::tempdir().unwrap();
    let sql = "SELECT symbol, price_cmp, session, is_tradable FROM stocks ORDER BY symbol LIMIT 2";
    let write = |name: &str| {
        parquote(&["query", "--data", path(&LITTLE.data), sql, "--out", path(&out.path().join(name))])
    };
    assert!(write("a/rows.parquet").unwrap().contains("rows.parquet: 2 rows"));
    let starts = |name: &str, magic: &[u8]| fs::read(out.path().join(name)).unwrap().starts_with(magic);
    assert!(starts("a/rows.parquet", b"PAR1"));
    write("rows.ARROW").unwrap();
    assert!(starts("rows.ARROW", b"ARROW1"));
    write("rows.csv").unwrap();
    let text = fs::read_to_string(out.path().join("rows.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, "symbol,price_cmp,session,is_tradable"));
    assert!(lines[1].ends_with(",2026-10-30,true"), "{}", lines[1]);
    // A failed export leaves no file.
    assert!(write("rows.xlsx").unwrap_err().contains(".parquet, .csv and .arrow"));
    let unmade = out.path().join("t.csv");
    let failing =
        ["query", "--data", path(&LITTLE.data), "SELECT make_time(1,1,1) AS t", "--out", path(&unmade)];
    let refused = parquote(&failing).unwrap_err();
    assert!(refused.contains("`t`") && refused.contains("parquet or arrow"), "{refused}");
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 3);
}

#[test]
fn what_cannot_be_exported_is_refused_in_words() {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("x.csv");
    let refused = |arguments: &[&str]| {
        let (command, rest) = arguments.split_first().unwrap();
        parquote(&[&[command, "--data", path(&LITTLE.data)], rest].concat()).unwrap_err()
    };
    for (arguments, words) in [
        (&["export", "stock"][..], "did you mean `stocks`?"),
        (&["export", "stocks", "--format", "parquet", "--out", path(&file)], "disagree"),
        (&["export", "stocks", "sectors", "--out", path(&file)], "names a folder"),
        (&["export", "former_names", "--out", path(&file)], "has no table `former_names`"),
        (&["export", "stocks", "--snapshot", "99", "--out", path(&file)], "has no set `99`"),
        (&["query", "SELECT 1 AS n", "format=csv"], "--out rows.csv"),
        (&["query", "companies", "--out", path(&file)], "is an operation"),
    ] {
        let told = refused(arguments);
        assert!(told.contains(words), "{arguments:?}: {told}");
    }
    assert!(!file.exists());
}
