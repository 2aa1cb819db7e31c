//! The same operations over real data: set `PARQUOTE_REAL_DATA` to a folder that `parquote derive` made from real files.
//! These tests are ignored by default: `PARQUOTE_REAL_DATA=… cargo test --test suite -- --ignored real`.
//!
//! Every operation returns figures, except if user-written files would have to provide a table, or if the files
//! contain no matching rows, which a SELECT proves.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use parquote::engine::{Snapshot, draw_table};
use parquote::operation::{Market, Operation};
use serde_json::Value as Json;

use crate::demo_market::{CATALOGUE, first_value, open, open_whole};
use crate::server::{Server, query};
use crate::user_tables::{lacking, says_what_to_do};
use crate::{definitions, searches};

fn folder(variable: &str) -> PathBuf {
    let named = std::env::var_os(variable);
    PathBuf::from(named.unwrap_or_else(|| panic!("{variable} names no folder")))
}

fn data() -> PathBuf {
    folder("PARQUOTE_REAL_DATA")
}

/// A large company that all real data include.
const LARGE: &str = "SELECT symbol FROM stocks WHERE symbol IN ('RELIANCE', 'AAPL')";

/// Arguments for which not every company or quarter has an answer: the operation, the parameter, and a value with an answer.
const ARGUMENTS: [(&str, &str, &str); 8] = [
    (
        "company/ratios",
        "symbol",
        "SELECT symbol FROM fundamentals WHERE roce IS NOT NULL ORDER BY market_cap DESC NULLS LAST, symbol",
    ),
    (
        "company/corporate-actions",
        "symbol",
        "SELECT symbol FROM corporate_actions GROUP BY symbol ORDER BY COUNT(*) DESC, symbol",
    ),
    ("market/ecs", "quarter", "SELECT quarter FROM earnings_quarters WHERE scored > 0 ORDER BY quarter_index DESC"),
    (
        "us/company/financials",
        "symbol",
        "SELECT s.symbol FROM statements s JOIN companies c ON c.symbol = s.symbol WHERE s.period_type = 'annual'
         ORDER BY s.period_end DESC, s.symbol",
    ),
    ("us/company/ratios", "symbol", "SELECT symbol FROM ratios ORDER BY symbol"),
    ("explore/sector-ratios", "symbol", "SELECT symbol FROM ratios ORDER BY symbol"),
    ("us/explore/sector-ratios", "symbol", "SELECT symbol FROM ratios ORDER BY symbol"),
    ("explore/company-deals", "symbol", "SELECT symbol FROM deals GROUP BY symbol ORDER BY COUNT(*) DESC, symbol"),
];

/// Operations that may be empty over real files, the reason, and a SELECT that finds rows only if an answer is required.
const MAY_BE_EMPTY: [(&str, &str, &str); 17] = [
    (
        "company/insider-trades",
        "the disclosures at hand end long before the prices",
        "SELECT symbol FROM insider_trades WHERE filed_on > as_of() - INTERVAL '90 days'",
    ),
    (
        "feeds/insider",
        "the disclosures at hand end long before the prices",
        "SELECT symbol FROM insider_trades WHERE filed_on > as_of() - INTERVAL '30 days'",
    ),
    (
        "feeds/bulk-block-deals",
        "the deals at hand end long before the prices",
        "SELECT symbol FROM deals WHERE deal_date > as_of() - INTERVAL '14 days'",
    ),
    (
        "explore/deals",
        "the deals at hand end long before the prices",
        "SELECT symbol FROM deals WHERE deal_date > as_of() - INTERVAL '14 days'",
    ),
    (
        "explore/deals-by-stock",
        "the deals at hand end long before the prices",
        "SELECT symbol FROM deals WHERE deal_date > as_of() - INTERVAL '14 days'",
    ),
    (
        "explore/company-deals",
        "the deals at hand end long before the prices",
        "SELECT symbol FROM deals WHERE deal_date > as_of() - INTERVAL '365 days'",
    ),
    (
        "explore/sector-ratios",
        "the statements at hand are of years ago, so that none are set beside today's prices",
        "SELECT symbol FROM fundamentals WHERE ttm_end IS NOT NULL OR balance_date IS NOT NULL",
    ),
    (
        "us/explore/sector-ratios",
        "the statements at hand are of years ago, so that none are set beside today's prices",
        "SELECT symbol FROM fundamentals WHERE ttm_end IS NOT NULL OR balance_date IS NOT NULL",
    ),
    (
        "feeds/circuit",
        "a list of price bands holds for a month, and the newest at hand is older",
        "SELECT symbol FROM circuits WHERE session = as_of()",
    ),
    (
        "market/industry-stages",
        "the exchange's files do not say industries; a file of one's own does",
        "SELECT symbol FROM companies WHERE industry IS NOT NULL",
    ),
    (
        "company/scorecard",
        "a percentile needs five companies, and no five of a sector have statements of the last two years",
        "SELECT symbol FROM scorecards WHERE overall_score IS NOT NULL",
    ),
    (
        "market/pead",
        "the results at hand were announced long before the prices end",
        "SELECT symbol FROM earnings WHERE announced_on > as_of() - INTERVAL '45 days'",
    ),
    (
        "us/feeds/sec",
        "the filings at hand are some years old",
        "SELECT symbol FROM sec_filings WHERE filed_on > as_of() - INTERVAL '14 days'",
    ),
    (
        "us/company/insider-trades",
        "the transactions at hand end long before the prices",
        "SELECT symbol FROM insider_trades WHERE filed_on > as_of() - INTERVAL '90 days'",
    ),
    (
        "us/company/13f-holdings",
        "the holdings at hand are of years ago, so that none are shown",
        "SELECT symbol FROM investor_holdings",
    ),
    (
        "us/company/ratios",
        "the statements at hand are of years ago, so that none are set beside today's prices",
        "SELECT symbol FROM fundamentals WHERE ttm_end IS NOT NULL OR balance_date IS NOT NULL",
    ),
    (
        "us/company/scorecard",
        "the statements at hand are of years ago, so that none are set beside today's prices",
        "SELECT symbol FROM scorecards WHERE overall_score IS NOT NULL",
    ),
];

/// Returns the operation's example with arguments that exist in these data.
fn arguments<'a>(tables: &Snapshot, operation: &'a Operation, whole: bool) -> Vec<(&'a str, String)> {
    let mut pairs = operation.example_pairs(whole);
    for (name, value) in &mut pairs {
        let chosen = ARGUMENTS.iter().find(|(of, param, _)| *of == operation.name && param == name);
        let chosen = chosen.and_then(|(_, _, sql)| first_value(tables, operation.market, sql));
        let large = (*name == "symbol").then(|| first_value(tables, operation.market, LARGE).unwrap());
        if let Some(chosen) = chosen.or(large) {
            *value = chosen;
        }
    }
    pairs
}

/// Returns the reason why an operation may return no figures, if there is one.
fn excuse(tables: &Snapshot, operation: &Operation) -> Option<&'static str> {
    let (_, why, sql) = MAY_BE_EMPTY.iter().find(|(name, ..)| *name == operation.name)?;
    first_value(tables, operation.market, sql).is_none().then_some(*why)
}

/// Makes one call; returns a line to print, or the fault.
fn call(
    server: &Server,
    tables: &Snapshot,
    folder: &Path,
    operation: &Operation,
    whole: bool,
) -> Result<String, String> {
    let path = format!("{}?{}", operation.name, query(&arguments(tables, operation, whole)));
    let began = Instant::now();
    let reply = server.get(&path);
    let took = began.elapsed();
    let lacking = lacking(folder, operation);
    if !lacking.is_empty() {
        return match reply.status {
            404 if says_what_to_do(&reply.message(), &lacking) => Ok(format!("{path}: {}", reply.message())),
            status => Err(format!("{path} without {lacking:?}: {status} {}", reply.message())),
        };
    }
    let why = excuse(tables, operation);
    match (reply.status, why) {
        (200, _) => {}
        (404, Some(why)) if whole => return Ok(format!("{path}: {}: {why}", reply.message())),
        (status, _) => return Err(format!("{path}: {status} {}", reply.message())),
    }
    if took > Duration::from_secs(2) {
        return Err(format!("{path}: {took:?}"));
    }
    let figures = figures(&reply.json()["data"]);
    match why {
        _ if figures >= 2 || whole => Ok(format!("{path}: {figures} figures, {took:?}")),
        Some(why) => Ok(format!("{path}: {figures} figures, {took:?}: {why}")),
        None => Err(format!("{path}: only {figures} figures")),
    }
}

#[test]
#[ignore = "needs tables derived from real files"]
fn every_operation_answers_from_real_data() {
    let folder = data();
    let server = Server::start(&CATALOGUE, open(&folder).unwrap());
    let tables = open_whole(&folder);
    let mut problems = Vec::new();
    for operation in CATALOGUE.operations().iter().filter(|operation| operation.answers_from_select()) {
        for whole in [false, true] {
            match call(&server, &tables, &folder, operation, whole) {
                Ok(line) => println!("{line}"),
                Err(problem) => problems.push(problem),
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
#[ignore = "needs tables derived from real files"]
fn searches_find_the_company_that_people_mean() {
    let server = Server::start(&CATALOGUE, open(&data()).unwrap());
    let wrong = searches::wrong(&server, "real.txt");
    assert!(wrong.len() <= 2, "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs tables derived from real files"]
fn real_data_are_as_defined() {
    let folder = data();
    let server = Server::start(&CATALOGUE, open(&folder).unwrap());
    let problems = definitions::problems(&server, &open_whole(&folder));
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// Counts the numbers in an answer, at any depth.
fn figures(json: &Json) -> usize {
    match json {
        Json::Number(_) => 1,
        Json::Array(items) => items.iter().map(figures).sum(),
        Json::Object(fields) => fields.values().map(figures).sum(),
        _ => 0,
    }
}

/// Reads the same files with another program; `PARQUOTE_REAL` names the folder of raw files of these tables.
#[test]
#[ignore = "needs tables derived from real files"]
fn statements_agree_with_the_files_that_they_are_from() {
    let (folder, raw) = (data(), folder("PARQUOTE_REAL"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/independent/statements.py");
    let python = |arguments: &[&std::ffi::OsStr]| {
        let done = std::process::Command::new("python3").arg(script).args(arguments).output().unwrap();
        (done.status.success(), String::from_utf8_lossy(&done.stdout).into_owned())
    };
    let (_, select) = python(&["--select".as_ref()]);
    let tables = open_whole(&folder);
    let vanishing = tempfile::tempdir().unwrap();
    for market in Market::ALL {
        let lines = vanishing.path().join(market.word());
        let rows = crate::demo_market::RUNTIME
            .block_on(tables.market(market).unwrap().select(select.trim()))
            .unwrap();
        std::fs::write(&lines, draw_table(&rows).unwrap()).unwrap();
        let (agrees, said) =
            python(&[market.word().as_ref(), raw.join(market.word()).as_ref(), lines.as_ref()]);
        println!("{market}\n{said}");
        assert!(agrees, "{market}: {said}");
    }
}
