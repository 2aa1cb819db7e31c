//! `parquote audit` over the demo market: look-ahead is found by name and separated from differences that a split or a later filing
//! explains.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array};
use datafusion::arrow::datatypes::Int64Type;
use parquote::operation::Market;
use parquote::set::{Draft, Home, NewFile, SetOrigin, hash_of};
use serde_json::Value as Json;

use crate::demo_market::{SHIPPED, copy_folder};
use crate::program::run;
use crate::tables;

const MARKET: Market = Market::India;

#[test]
fn an_altered_figure_is_found_and_others_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    copy_folder(&SHIPPED.sets, &data);
    let session = alter_breadth(&data);
    let (raw, data) = (SHIPPED.raw.to_str().unwrap(), data.to_str().unwrap());
    let arguments = ["audit", "--raw", raw, "--data", data, "--market", "india", "--days", "1", "--json"];
    let (code, out, errors) = run(&arguments);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("india: past days"), "it shows how far it is: {errors}");
    let found: Json = serde_json::from_str(&out).unwrap();
    let market = &found[0];
    assert_eq!((&market["market"], market["days"].as_array().unwrap().len()), (&Json::from("india"), 1));

    let altered = difference(market, "breadth", "advances", "unexplained");
    assert_eq!(altered["rows"], 1, "one cell was altered: {altered}");
    assert_eq!(altered["first"][0]["row"], session);
    let figure = |side: &str| altered["first"][0][side].as_str().unwrap().parse::<i64>().unwrap();
    assert_eq!(figure("now"), figure("then") + 1000);

    // JOQADIHOME has a bonus of 2:1 and one of 1:1, both after every audited day: one share becomes three and then six.
    let split = difference(market, "statements", "eps_basic", "split");
    assert!(split["rows"].as_u64().unwrap() > 0);
    for row in split["first"].as_array().unwrap() {
        let figure = |side: &str| row[side].as_str().unwrap().parse::<f64>().unwrap();
        assert!(
            figure("then").abs() > 1.4 * figure("now").abs(),
            "{row}: a share of then is several of today"
        );
    }
    let restated = difference(market, "statements", "revenue", "restated");
    assert!(restated["why"].as_str().unwrap().starts_with("A later filing revised"));

    assert!(market["tables"]["rs_history"]["compared"].as_u64().unwrap() > 1000);
    let stocks = market["tables"]["stocks beside indicators"]["compared"].as_u64().unwrap();
    assert!(stocks > 50, "the rows of the newest day are compared with their history: {stocks}");
    assert_eq!(market["identities"].as_array().unwrap().len(), 5);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left, ["data"], "what was derived again is removed");
}

/// Audits a market of a few raw files as of the session in the middle; returns the exit code and the findings.
fn audited(market: &str, files: &[(&str, String)]) -> (Option<i32>, Json) {
    let folder = tempfile::tempdir().unwrap();
    let (raw, data) = (folder.path().join("raw"), folder.path().join("data"));
    for (path, text) in files {
        let path = raw.join(market).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let (raw, data) = (raw.to_str().unwrap(), data.to_str().unwrap());
    let (_, report, errors) = run(&["derive", "--raw", raw, "--data", data]);
    assert!(report.contains("published"), "{report}{errors}");
    let (code, out, errors) = run(&["audit", "--raw", raw, "--data", data, "--days", "1", "--json"]);
    let found: Json = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{errors}"));
    (code, found[0].clone())
}

/// Returns prices of stocks on the first `count` sessions of January 2025; with five sessions, the audited one is the 6th.
fn prices(symbols: &[&str], count: usize) -> String {
    const DAYS: [&str; 9] = ["02", "03", "06", "07", "08", "10", "13", "14", "15"];
    let mut text = "symbol,date,open,high,low,close,volume\n".to_owned();
    for (at, day) in DAYS.into_iter().take(count).enumerate() {
        for (of, symbol) in symbols.iter().enumerate() {
            let close = 10.0 + of as f64 + 0.1 * (at * (of + 1)) as f64;
            writeln!(text, "{symbol},2025-01-{day},{close},{close},{close},{close},100").unwrap();
        }
    }
    text
}

/// Returns full bhavcopies of the same five sessions.
fn bhavcopy(symbols: &[&str]) -> String {
    let mut text = "SYMBOL, SERIES, DATE1, PREV_CLOSE, OPEN_PRICE, HIGH_PRICE, LOW_PRICE, LAST_PRICE, CLOSE_PRICE, AVG_PRICE, \
                    TTL_TRD_QNTY, TURNOVER_LACS, NO_OF_TRADES, DELIV_QTY, DELIV_PER\n"
        .to_owned();
    for line in prices(symbols, 5).lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let (symbol, day, close) = (cells[0], &cells[1][8..], cells[5]);
        writeln!(
            text,
            "{symbol}, EQ, {day}-Jan-2025, 0, {close}, {close}, {close}, {close}, {close}, {close}, 100, 1, 1, 50, 50"
        )
        .unwrap();
    }
    text
}

const LINES: &str =
    "symbol,period_end,period_type,basis,statement,line,value,unit,currency,filed_at,source\n";

/// The figure is revised on the 7th and revised back on the 8th.
#[test]
fn a_period_that_is_filed_again_with_the_same_figures_is_restated() {
    let filed = |pat: u32, day: &str| {
        format!("SAME,2023-12-31,annual,consolidated,income,pat,{pat},USD million,USD,{day},paper\n")
    };
    let versions = [filed(50, "2024-02-15"), filed(60, "2025-01-07"), filed(50, "2025-01-08")];
    let statements = format!("{LINES}{}", versions.concat());
    let (code, market) =
        audited("us", &[("prices.csv", prices(&["SAME", "ALSO"], 5)), ("statements.csv", statements)]);
    let again = difference(&market, "statements", "restated_on", "restated");
    assert!(again["why"].as_str().unwrap().starts_with("The period was filed again"), "{again}");
    assert_eq!(code, Some(0), "{market}");
}

/// A list without a date is valid from the last session of a derivation: from the 8th (two sessions after the results) or from the 15th.
#[test]
fn a_benchmark_that_is_assumed_explains_the_answer_to_results() {
    let results = "SAME,2024-11-30,quarterly,consolidated,income,pat,50,USD million,USD,2025-01-06,paper\n";
    let list = |other: &str| format!("Symbol,Security\nSAME,Same Inc.\n{other},Other Inc.\n");
    let (code, market) = audited(
        "us",
        &[
            ("prices.csv", prices(&["SAME", "ALSO", "MORE"], 9)),
            ("sp500_2025-01-02.csv", list("ALSO")),
            ("sp500.csv", list("MORE")),
            ("statements.csv", format!("{LINES}{results}")),
        ],
    );
    let answer = difference(&market, "earnings", "announcement_return", "assumed");
    assert!(answer["why"].as_str().unwrap().starts_with("The benchmark of the sessions"), "{answer}");
    assert_eq!(code, Some(0), "{market}");
}

/// No company has an industry, so the tables of industries contain sectors; a list of the 7th gives BELA another sector.
#[test]
fn a_later_sector_explains_industries_that_are_sectors() {
    let list = |sector: &str| {
        format!(
            "Company Name,Industry,Symbol,Series,ISIN Code\nArohi Ltd.,Realty,AROHI,EQ,INE000A01011\nBela Ltd.,{sector},BELA,EQ,INE000B01011\n"
        )
    };
    let (code, market) = audited(
        "india",
        &[
            ("prices.csv", bhavcopy(&["AROHI", "BELA"])),
            ("lists_20250102/ind_nifty500list.csv", list("Realty")),
            ("lists_20250107/ind_nifty500list.csv", list("Power")),
        ],
    );
    let moved = difference(&market, "industry_growths", "growth", "assumed");
    assert!(moved["why"].as_str().unwrap().contains("another industry"), "{moved}");
    assert_eq!(code, Some(0), "{market}");
}

/// On the 7th BELA took the symbol CHITRA, under which some of its figures are filed.
#[test]
fn a_later_symbol_explains_what_is_joined_under_it() {
    let line = |symbol: &str, line: &str| {
        format!("{symbol},2024-03-31,annual,consolidated,income,{line},50,INR crore,INR,2024-05-15,paper\n")
    };
    let (code, market) = audited(
        "india",
        &[
            (
                "prices.csv",
                bhavcopy(&["AROHI", "BELA"])
                    .replace("BELA, EQ, 07", "CHITRA, EQ, 07")
                    .replace("BELA, EQ, 08", "CHITRA, EQ, 08"),
            ),
            ("symbolchange.csv", "Chitra Limited,BELA,CHITRA,07-JAN-2025\n".to_owned()),
            ("statements.csv", format!("{LINES}{}{}", line("BELA", "revenue"), line("CHITRA", "pat"))),
        ],
    );
    let joined = difference(&market, "statements", "revenue", "assumed");
    assert!(joined["why"].as_str().unwrap().starts_with("The company took its symbol"), "{joined}");
    assert_eq!(code, Some(0), "{market}");
}

#[test]
fn without_tables_there_is_nothing_to_audit() {
    let folder = tempfile::tempdir().unwrap();
    let (raw, data) = (SHIPPED.raw.to_str().unwrap(), folder.path().to_str().unwrap());
    let (code, _, errors) = run(&["audit", "--raw", raw, "--data", data, "--market", "india"]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("no published tables of india; derive them from raw files first"), "{errors}");
}

/// Returns the only difference of this column and kind.
fn difference<'a>(market: &'a Json, table: &str, column: &str, kind: &str) -> &'a Json {
    let all = market["differences"].as_array().unwrap();
    let is_it = |it: &&Json| it["table"] == table && it["column"] == column && it["kind"] == kind;
    all.iter().find(is_it).unwrap_or_else(|| panic!("no {kind} difference of {table}.{column}"))
}

/// Publishes a set with a thousand additional advances in the first session; returns that session.
fn alter_breadth(data: &Path) -> String {
    let home = Home::new(data);
    let first = home.newest(MARKET).unwrap().unwrap();
    let staging = home.stage(MARKET).unwrap();
    let mut altered = first.tables.clone();
    let file = &mut altered.get_mut("breadth").unwrap().files[0];
    let rows = tables::read(&home.file_path(MARKET, "breadth", &file.hash));
    let days = rows.column_by_name("session").unwrap();
    let session = datafusion::arrow::util::display::array_value_to_string(days, 0).unwrap();
    let rows = tables::replaced(&rows, "advances", |values| {
        let mut values = values.as_primitive::<Int64Type>().values().to_vec();
        values[0] += 1000;
        Arc::new(Int64Array::from(values)) as ArrayRef
    });
    let path = staging.path().join("breadth.parquet");
    tables::write(&path, &rows);
    file.hash = hash_of(&path).unwrap();
    file.bytes = fs::metadata(&path).unwrap().len();
    let new = NewFile { table: "breadth".to_owned(), hash: file.hash.clone(), path };
    let (as_of, origin, follows) = (first.as_of, SetOrigin::Derived, first.number);
    let inbox = first.inbox;
    let (market, tables) = (MARKET, altered);
    let draft = Draft {
        market,
        as_of,
        origin,
        forced: false,
        first_at: None,
        follows,
        tables,
        inbox,
        covered: BTreeMap::new(),
    };
    home.publish(draft, &[new], &staging).unwrap();
    session
}
