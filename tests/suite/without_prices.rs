//! A market with SEC files only, without prices: operations that need none answer, and the others say so.

use std::fs;
use std::path::Path;

use parquote::operation::Market;
use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::demo_market::{CATALOGUE, LITTLE, copy_folder, derive_market, first_value, open, open_whole};
use crate::program::run;
use crate::server::Server;

/// Copies the little US market's raw files, without those of exchanges and vendors.
fn filed_alone(to: &Path) {
    let us = LITTLE.raw.join("us");
    for folder in ["sec", "statements"] {
        copy_folder(&us.join(folder), &to.join("us").join(folder));
    }
    fs::copy(us.join("source.txt"), to.join("us/source.txt")).unwrap();
}

#[test]
fn what_needs_no_price_answers_and_the_rest_says_what_is_missing() {
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    filed_alone(raw.path());
    derive_market(&CATALOGUE, Market::Us, (raw.path(), data.path()), None);
    let server = Server::start(&CATALOGUE, open(data.path()).unwrap());
    let tables = open_whole(data.path());
    let value = |sql: &str| first_value(&tables, Market::Us, sql).unwrap();
    // The market's last day is that of the newest filing.
    assert_eq!(
        value("SELECT MAX(session) AS d FROM sessions"),
        value("SELECT MAX(filed_on) AS d FROM sec_filings")
    );
    let symbol =
        value("SELECT i.symbol FROM insider_trades i JOIN statements s ON s.symbol = i.symbol ORDER BY 1");
    let name = value(&format!("SELECT company_name FROM companies WHERE symbol = '{symbol}'"));
    let answers = |path: &str| {
        let reply = server.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.message());
        reply.data()
    };
    let found = answers(&format!("us/companies?query={}", name.split(' ').next().unwrap()));
    assert_eq!((&found[0]["symbol"], &found[0]["market_cap_b"]), (&json!(symbol), &Json::Null), "{found}");
    assert_eq!(answers("us/companies?limit=5").as_array().unwrap().len(), 5);
    for path in [
        "us/company/financials?symbol=",
        "us/company/scorecard?symbol=",
        "us/company/insider-trades?days=365&symbol=",
    ] {
        let data = answers(&format!("{path}{symbol}"));
        assert!(!data.as_array().is_some_and(Vec::is_empty), "{path}{symbol}");
    }
    let ratios = answers(&format!("us/company/ratios?symbol={symbol}&codes=roe,pe"));
    let of =
        |code: &str| ratios.as_array().unwrap().iter().find(|row| row["ratio_code"] == code).unwrap().clone();
    assert!(of("roe")["ratio_value"].is_number(), "{ratios}");
    assert_eq!(of("pe")["ratio_value"], Json::Null);
    assert_eq!(of("pe")["unvalued_because"], "No price of it is on file.");
    assert!(!answers("us/feeds/sec").as_array().unwrap().is_empty());
    let held = value("SELECT symbol FROM investor_holdings WHERE symbol IS NOT NULL ORDER BY 1");
    assert!(!answers(&format!("us/company/13f-holdings?symbol={held}")).as_array().unwrap().is_empty());
    for path in [format!("us/company/profile?symbol={symbol}"), "us/market/momentum".to_owned()] {
        let reply = server.get(&path);
        assert_eq!(reply.status, 404, "{path}");
        assert!(reply.message().contains("nothing for daily_prices"), "{}", reply.message());
    }
    // A page shows what there is of a company; with nothing, or for an unknown one, it is not found.
    let page = |path: &str| {
        let reply = server.send(&Method::GET, &format!("/us/company/{path}"), &[], "");
        (reply.status, String::from_utf8(reply.body).unwrap())
    };
    for shown in [symbol.clone(), format!("{symbol}/financials"), format!("{symbol}/ownership")] {
        let (status, text) = page(&shown);
        assert!(
            text.contains("nothing for daily_prices") && !text.contains("class=\"refusal\""),
            "{shown}: {text}"
        );
        assert_eq!(status, 200, "{shown}");
    }
    for lost in [format!("{symbol}/chart"), "ZZZZZ/financials".to_owned()] {
        let (status, text) = page(&lost);
        assert_eq!((status, text.contains("class=\"refusal\"")), (404, true), "{lost}");
    }
    let (code, told, errors) = run(&["check", "--contract-only", data.path().to_str().unwrap()]);
    assert_eq!(code, Some(0), "{told}{errors}");
    assert!(!told.contains(" 0 of ") && told.contains("the next file to get"), "{told}");
}

#[test]
fn prices_that_come_later_replace_the_calendar() {
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    filed_alone(raw.path());
    derive_market(&CATALOGUE, Market::Us, (raw.path(), data.path()), None);
    copy_folder(&LITTLE.raw.join("us"), &raw.path().join("us"));
    // Fewer sessions than the calendar's days are not treated as lost sessions.
    derive_market(&CATALOGUE, Market::Us, (raw.path(), data.path()), None);
    let days = |folder: &Path| {
        first_value(
            &open_whole(folder),
            Market::Us,
            "SELECT COUNT(*) AS n FROM sessions WHERE stocks_traded > 0",
        )
    };
    assert_eq!(days(data.path()), days(&LITTLE.data));
}
