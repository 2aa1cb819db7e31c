//! JSON responses of web services: the array of rows is in an object.

use super::*;

const PRICES: &str =
    "symbol,date,open,high,low,close,volume\nALFA,2025-01-02,10,10,10,10,5\nALFA,2025-01-03,10,10,10,10,5\n";
const ROWS: &str = r#"[{"symbol": "ALFA", "name": "Alfa Inc. Common Stock", "lastsale": "$10.00", "marketCap": "4000", "sector": "Technology",
    "industry": "Chips"}]"#;

fn market_with_listing(name: &str, answer: &str) -> RawMarket {
    Raw::new().file("prices.csv", PRICES).file(name, answer).us()
}

#[test]
fn a_screeners_answer_is_a_list() {
    for answer in [
        ROWS.to_owned(),
        format!(r#"{{"data": {ROWS}}}"#),
        format!(
            r#"{{"data": {{"asOf": null, "headers": {{"symbol": "Symbol"}}, "rows": {ROWS}}}, "message": null}}"#
        ),
        format!(
            r#"{{"data": {{"filters": null, "table": {{"rows": {ROWS}}}, "totalrecords": 1}}, "status": {{"rCode": 200}}}}"#
        ),
    ] {
        let market = market_with_listing("nasdaq.json", &answer);
        let company = market.company("ALFA");
        assert_eq!(
            (company.sector.as_deref(), company.exchange.as_deref()),
            (Some("Technology"), Some("NASDAQ")),
            "{answer}"
        );
        assert_eq!(market.stock("ALFA").shares, [400.0, 400.0]);
    }
}

#[test]
fn what_stands_before_the_rows_may_be_long() {
    let names = "\"Somebody\",".repeat(4_000);
    let row = r#"{"symbol": "AROHI", "date": "02-Jan-2025", "tdpTransactionType": "Buy", "acqMode": "Market Purchase", "secAcq": "100",
        "secVal": "5000", "acqName": "Somebody", "personCategory": "Promoter"}"#;
    let answer = format!("{{\"acqNameList\": [{names} null], \"data\": [{row}]}}");
    let market = Raw::new().days(&[("AROHI", &[1.0; 3])]).file("pit.json", &answer).india();
    assert_eq!(market.cells("insider_trades", "symbol"), ["AROHI"]);
}

#[test]
fn an_answer_without_rows_is_good_and_one_without_an_array_is_refused() {
    let market = Raw::new()
        .file("prices.csv", PRICES)
        .file("empty.json", r#"{"data": []}"#)
        .file("table.json", r#"{"data": {"list": [{"symbol": "ALFA"}]}, "status": 200}"#)
        .file("null.json", r#"{"data": null, "message": "no"}"#)
        .file("other.json", r#"{"fetched": "2025-01-01", "dates": []}"#)
        .us();
    assert_eq!(market.report.empty_files, ["empty.json"]);
    assert_eq!(market.report.unused_files, ["other.json"]);
    let refused: Vec<_> = market.report.unreadable.iter().map(|it| (it.file.as_str(), it.is_fault)).collect();
    assert_eq!(refused, [("null.json", false), ("table.json", false)]);
    let why = &market.report.unreadable[1].why;
    assert!(why.contains("under data, data.rows or data.table.rows"), "{why}");
}

#[test]
fn a_cut_answer_is_a_read_fault() {
    let whole = format!(r#"{{"data": {{"rows": {ROWS}}}}}"#);
    // Truncated in the first row, and after the last one.
    for cut in [&whole[..40], &whole[..whole.len() - 1]] {
        let raw = Raw::new().file("prices.csv", PRICES).file("nasdaq.json", cut);
        let options = RawOptions { allow_unreadable: true, ..RawOptions::for_market(Market::Us) };
        let report = raw.read_with(options).report;
        assert_eq!(report.unreadable.iter().filter(|file| file.is_fault).count(), 1, "{cut}");
    }
}

#[test]
fn files_that_give_a_table_may_be_answers() {
    let text = "-- Calls: of a stock.\n--\n-- key: symbol\n-- source: user-supplied\n-- column: symbol text \"Symbol.\"\n\
                -- column: tone int? \"Tone.\"\n";
    let table = Table::parse("tables/calls.sql", text).unwrap().remove(0);
    let options = RawOptions { user_tables: &[&table], ..RawOptions::for_market(Market::India) };
    let raw = Raw::new()
        .days(&[("AROHI", &[10.0]), ("BELA", &[10.0])])
        .file("calls.json", r#"{"count": 2, "data": [{"symbol": "AROHI", "tone": 5}, {"symbol": "BELA"}]}"#)
        .file("calls_none.json", r#"{"data": []}"#);
    let report = raw.read_with(options).report;
    let tally = report.formats["table calls"];
    assert_eq!((tally.files, tally.read, tally.kept), (1, 2, 2));
    assert_eq!(report.empty_files, ["calls_none.json"]);
}
