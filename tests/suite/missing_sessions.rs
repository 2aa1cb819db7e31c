//! Sessions missing in the files: the next change is computed from the previous close in that session's file, or it is unknown; the report
//! and the check name the day. All prices are invented.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use parquote::engine::Snapshot;
use parquote::operation::Market;
use serde_json::Value as Json;

use crate::demo_market::open_whole;
use crate::program::run;
use crate::selected::{first_column, select};

const FULL: &str = "SYMBOL, SERIES, DATE1, PREV_CLOSE, OPEN_PRICE, HIGH_PRICE, LOW_PRICE, LAST_PRICE, CLOSE_PRICE, AVG_PRICE, \
                    TTL_TRD_QNTY, TURNOVER_LACS, NO_OF_TRADES, DELIV_QTY, DELIV_PER\n";
const UDIFF: &str =
    "TradDt,Src,FinInstrmTp,ISIN,TckrSymb,SctySrs,OpnPric,HghPric,LwPric,ClsPric,PrvsClsgPric,TtlTradgVol\n";
const OLD: &str =
    "SYMBOL,SERIES,OPEN,HIGH,LOW,CLOSE,LAST,PREVCLOSE,TOTTRDQTY,TOTTRDVAL,TIMESTAMP,TOTALTRADES,ISIN,\n";

const STOCKS: [&str; 3] = ["AROHI", "BELA", "CHITRA"];

/// Returns a day's file: for each stock the previous close and the close.
fn day_file(form: &str, date: &str, closes: [(f64, f64); 3]) -> String {
    let mut text = form.to_owned();
    for (symbol, (before, close)) in STOCKS.iter().zip(closes) {
        let isin = format!("INE000{}01011", &symbol[..1]);
        match form {
            FULL => writeln!(text, "{symbol}, EQ, {date}, {before}, {close}, {close}, {close}, {close}, {close}, {close}, 100, 1, 1, 50, 50"),
            UDIFF => writeln!(text, "{date},NSE,STK,{isin},{symbol},EQ,{close},{close},{close},{close},{before},100"),
            _ => writeln!(text, "{symbol},EQ,{close},{close},{close},{close},{close},{before},100,1,{date},1,{isin},"),
        }
        .unwrap();
    }
    text
}

/// Derives raw files; returns the tables, the report of `derive` and that of `check`.
fn derived(files: &[(&str, String)]) -> (tempfile::TempDir, Snapshot, [String; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let (raw, data) = (folder.path().join("raw"), folder.path().join("data"));
    for (path, text) in files {
        let path = raw.join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        fs::write(path, text).unwrap();
    }
    let (raw, data) = (raw.to_str().unwrap(), data.to_str().unwrap());
    let (_, report, errors) = run(&["derive", "--raw", raw, "--data", data]);
    assert!(report.contains("published"), "{report}{errors}");
    let (_, checked, _) = run(&["check", data, "--only", "sessions_without_files"]);
    let tables = open_whole(Path::new(data));
    (folder, tables, [report, checked])
}

/// Returns the changes of the three stocks in a session, in hundredths of a percent.
fn changes(tables: &Snapshot, market: Market, session: &str) -> Vec<Option<i64>> {
    let sql = format!(
        "SELECT CAST(round(100 * change_pct) AS BIGINT) AS change FROM daily_prices WHERE session = DATE '{session}' ORDER BY symbol"
    );
    first_column(tables, market, &sql).iter().map(Json::as_i64).collect()
}

/// 15 and 20 November 2024 were holidays; the 18th and the 22nd have no file.
#[test]
fn the_exchange_says_the_close_of_a_session_without_a_file() {
    let days = [
        (FULL, "13-Nov-2024", [(0.0, 100.0), (0.0, 100.0), (0.0, 100.0)]),
        (OLD, "14-NOV-2024", [(100.0, 110.0), (100.0, 90.0), (100.0, 100.0)]),
        (UDIFF, "2024-11-19", [(100.0, 105.0), (99.0, 98.0), (103.0, 103.0)]),
        (FULL, "21-Nov-2024", [(105.0, 105.0), (98.0, 99.0), (103.0, 104.0)]),
        (OLD, "25-NOV-2024", [(100.0, 99.0), (100.0, 101.0), (100.0, 102.0)]),
    ];
    let files: Vec<(String, String)> = days
        .iter()
        .map(|(form, date, closes)| (format!("india/{date}.csv"), day_file(form, date, *closes)))
        .collect();
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    let (_folder, tables, [report, checked]) = derived(&files);
    let changes = |session| changes(&tables, Market::India, session);
    assert_eq!(changes("2024-11-14"), [Some(1000), Some(-1000), Some(0)]);
    assert_eq!(changes("2024-11-19"), [Some(500), Some(-101), Some(0)], "by the close of the 18th, in UDiFF");
    assert_eq!(changes("2024-11-21"), [Some(0), Some(102), Some(97)], "the 20th was a holiday");
    assert_eq!(
        changes("2024-11-25"),
        [Some(-100), Some(100), Some(200)],
        "by the close of the 22nd, in the old format"
    );
    let breadth = "SELECT CAST(advances AS TEXT) || ' ' || CAST(declines AS TEXT) || ' ' || CAST(unchanged AS TEXT) AS counted \
                   FROM breadth ORDER BY session";
    assert_eq!(first_column(&tables, Market::India, breadth), ["0 0 0", "1 1 1", "1 1 1", "2 0 1", "2 1 0"]);
    let shown = "SELECT CAST(round(100 * change_pct) AS BIGINT) AS change FROM stocks WHERE symbol = 'AROHI'";
    assert_eq!(first_column(&tables, Market::India, shown), [-100]);
    let missing =
        "SELECT session, missing_before FROM sessions WHERE missing_before IS NOT NULL ORDER BY session";
    let missing: Vec<String> =
        select(&tables, Market::India, missing).iter().map(ToString::to_string).collect();
    assert_eq!(
        missing,
        [
            r#"{"session":"2024-11-19","missing_before":"2024-11-18"}"#,
            r#"{"session":"2024-11-25","missing_before":"2024-11-22"}"#
        ]
    );
    for words in ["2024-11-18, before 2024-11-19: 3 stocks", "2024-11-22, before 2024-11-25: 3 stocks"] {
        assert!(report.contains(words), "{report}");
    }
    assert!(checked.contains("sessions_without_files") && checked.contains("2024-11-18"), "{checked}");
}

/// 9 January 2025 was a day of mourning; the 13th has no file, and no source has its closes.
#[test]
fn without_a_close_before_the_calendar_tells_and_the_change_is_unknown() {
    let mut prices = "symbol,date,open,high,low,close,volume\n".to_owned();
    for (day, closes) in [
        ("07", [10, 20, 40]),
        ("08", [11, 20, 39]),
        ("10", [11, 21, 39]),
        ("14", [15, 20, 39]),
        ("15", [15, 22, 36]),
        ("16", [15, 22, 36]),
        ("17", [15, 22, 37]),
    ] {
        for (symbol, close) in STOCKS.iter().zip(closes) {
            writeln!(prices, "{symbol},2025-01-{day},{close},{close},{close},{close},5").unwrap();
        }
    }
    let mut lines =
        "symbol,period_end,period_type,basis,statement,line,value,unit,currency,filed_at,source\n".to_owned();
    for (symbol, day) in [("AROHI", "10"), ("BELA", "15")] {
        writeln!(
            lines,
            "{symbol},2024-11-30,quarterly,consolidated,income,pat,5,USD million,USD,2025-01-{day},paper"
        )
        .unwrap();
    }
    let members =
        format!("Symbol,Security\n{}\n", STOCKS.map(|symbol| format!("{symbol},Some Inc.")).join("\n"));
    let files =
        [("us/prices.csv", prices), ("us/statements.csv", lines), ("us/sp500_2025-01-07.csv", members)];
    let (_folder, tables, [report, checked]) = derived(&files);
    let changes = |day: &str| changes(&tables, Market::Us, day);
    // The third session in the files after AROHI's results is the fourth of the exchange.
    let answered = "SELECT symbol FROM earnings WHERE announcement_return IS NOT NULL";
    assert_eq!(first_column(&tables, Market::Us, answered), ["BELA"]);
    // The members' index continues over the gap, with changes against the previous bar: 1,000 times 1.025 on the 8th.
    let chained = "SELECT CAST(round(benchmark_close) AS BIGINT) AS level FROM benchmark ORDER BY session";
    let chained: Vec<_> = first_column(&tables, Market::Us, chained).iter().map(Json::as_i64).collect();
    assert_eq!(chained, [1025, 1042, 1152, 1161, 1161, 1171].map(Some));
    assert_eq!(changes("2025-01-10"), [Some(0), Some(500), Some(0)]);
    assert_eq!(changes("2025-01-14"), [None; 3]);
    assert_eq!(changes("2025-01-15"), [Some(0), Some(1000), Some(-769)]);
    let breadth = "SELECT advances - declines AS net FROM breadth ORDER BY session";
    let counted: Vec<_> = first_column(&tables, Market::Us, breadth).iter().map(Json::as_i64).collect();
    assert_eq!(counted, [Some(0), Some(0), Some(1), None, Some(0), Some(0), Some(1)]);
    assert!(report.contains("2025-01-13, before 2025-01-14: 3 stocks"), "{report}");
    assert!(checked.contains("2025-01-13"), "{checked}");
}
