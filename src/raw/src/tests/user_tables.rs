//! Files that fill tables of their name: every encoding, bad rows, duplicates, symbols.

use super::*;
use crate::domain::provenance::Provenance;

fn table() -> Table {
    let text = "-- Calls.\n\n-- market: both\n-- key: symbol, period_end\n-- sorted: symbol, period_end\n\
        -- known: filed_on\n-- source: user-supplied\n\
        -- column: symbol text \"S.\"\n-- column: period_end date \"P.\"\n-- column: filed_on date? \"F.\"\n\
        -- column: tone int? in 0..100 \"T.\"\n-- column: mood text? in (good, bad) \"M.\"\n\
        -- column: risks texts? \"R.\"\n";
    Table::parse("tables/calls.sql", text).unwrap().remove(0)
}

/// Rows as text: symbol, period, tone and risks.
fn rows(market: &RawMarket) -> Vec<String> {
    let text = |cell: &UserCell| match cell {
        UserCell::Null => String::new(),
        UserCell::Text(text) => text.clone(),
        UserCell::Int(value) => value.to_string(),
        UserCell::Date(date) => date.to_string(),
        UserCell::Texts(texts) => texts.join("+"),
        other => format!("{other:?}"),
    };
    let of = |row: &UserRow| [0, 1, 3, 5].map(|at| text(&row.0[at])).join(" ").trim_end().to_owned();
    market.user_rows.get("calls").map(|rows| rows.iter().map(of).collect()).unwrap_or_default()
}

fn read_with_table(raw: &Raw, as_of: Option<NaiveDate>) -> RawMarket {
    let table = table();
    raw.read_with(RawOptions { as_of, user_tables: &[&table], ..RawOptions::for_market(Market::India) })
}

#[test]
fn every_encoding_gives_rows() {
    let raw = Raw::new()
        .days(&[("AA", &[10.0])])
        .file("texts/calls.csv", "Tone, SYMBOL,period_end\n70,aa,2024-03-31\n")
        .file(
            "calls_two.json",
            r#"[{"symbol": "BB", "period_end": "2024-03-31"},
            {"symbol": "CC", "period_end": "2024-06-30", "risks": ["x, y", "z"], "tone": 41, "note": 1}]"#,
        )
        .file("calls/more.ndjson", "{\"Symbol\": \"NSE:DD\", \"Period_End\": \"2024-03-31\", \"tone\": 5}\n")
        .bytes("calls-3.csv.gz", &gzip("symbol,period_end,risks\nEE,2024-03-31,a | b\n"))
        .file("written/calls/FF.B_2024-03-31.json", r#"[{"symbol": "FF.B", "period_end": "2024-03-31"}]"#);
    let market = read_with_table(&raw, None);
    assert_eq!(
        rows(&market),
        [
            "AA 2024-03-31 70",
            "BB 2024-03-31",
            "CC 2024-06-30 41 x, y+z",
            "DD 2024-03-31 5",
            "EE 2024-03-31  a+b",
            "FF.B 2024-03-31"
        ]
    );
    assert_eq!(market.report.unused_files, Vec::<String>::new());
    let message: Vec<&String> =
        market.report.exceptions.iter().filter(|message| message.contains("table `calls`")).collect();
    assert_eq!(message, ["calls_two.json has columns that the table `calls` has not: note"]);
    let tally = market.report.formats["table calls"];
    assert_eq!((tally.files, tally.read, tally.kept), (5, 6, 6));
}

#[test]
fn bad_rows_are_refused_and_a_newer_file_wins() {
    let raw = Raw::new()
        .days(&[("AA", &[10.0])])
        .file(
            "calls_a.csv",
            "symbol,period_end,tone,mood,filed_on\nAA,2024-03-31,50,good,\nAA,2024-06-30,x,,\n\
             AA,,50,,\nAA,2024-06-30,101,,\nAA,2024-06-30,50,fine,\nBB,2024-03-31,1,bad,\nBB,2024-06-30,1\n\
             CC,2024-03-31,1,,2025-01-09\n",
        )
        .file(
            "calls_b.csv",
            "symbol,period_end,tone,mood,filed_on\nAA,2024-03-31,60,,\nBB,2024-03-31,1,bad,\n",
        )
        .file("calls_c.ndjson", "{\"symbol\": \"DD\", \"period_end\": \"2024-03-31\"}\n{\"symbol\": \n")
        .file("calls_d.csv", "name,tone\nx,1\n");
    let market = read_with_table(&raw, Some(january(8)));
    assert_eq!(rows(&market), ["AA 2024-03-31 60", "BB 2024-03-31 1", "DD 2024-03-31"]);
    let refused = [
        (Reason::BadNumber, 1),
        (Reason::NoValue, 1),
        (Reason::NotAllowed, 2),
        (Reason::WrongFieldCount, 1),
        (Reason::AfterAsOf, 1),
        (Reason::NotAnObject, 1),
    ];
    for (reason, count) in refused {
        assert_eq!(market.refused(reason), count, "{reason:?}");
    }
    let tally = market.report.formats["table calls"];
    assert_eq!((tally.read, tally.kept, tally.refused, tally.identical, tally.differing), (12, 3, 7, 1, 1));
    let unreadable = &market.report.unreadable[0];
    assert_eq!(unreadable.file, "calls_d.csv");
    assert_eq!(unreadable.why, "it lacks symbol, period_end of the table `calls`");
}

#[test]
fn rows_follow_their_company_to_its_symbol_of_now() {
    let raw = Raw::new()
        .days(&[("NEW", &[10.0; 6])])
        .file("symbolchange.csv", "Arohi Limited, OLD, NEW, 03-JAN-2025\n")
        .file("calls.csv", "symbol,period_end,tone\nOLD,2024-12-31,1\nNEW,2025-01-05,2\n");
    assert_eq!(rows(&read_with_table(&raw, None)), ["NEW 2024-12-31 1", "NEW 2025-01-05 2"]);
}

#[test]
fn without_a_file_there_is_no_table() {
    let market = read_with_table(&Raw::new().days(&[("AA", &[10.0])]), None);
    assert!(market.user_rows.is_empty());
}

const DECLARED: &str = r#"
table = "scores"

[path]
dates_column = "filed_on"

[columns]
symbol = ["Scrip", "Symbol"]
period_end = { names = ["Quarter ended"], form = "day_first" }
score = { names = ["Score in thousands"], unit = "thousand", optional = true }
"#;

#[test]
fn a_declared_format_is_read_without_code() {
    let text = "-- Scores.\n\n-- market: both\n-- key: symbol, period_end\n-- sorted: symbol, period_end\n\
        -- known: filed_on\n-- source: user-supplied\n-- column: symbol text \"S.\"\n-- column: period_end date \"P.\"\n\
        -- column: filed_on date? \"F.\"\n-- column: score number? \"N.\"\n";
    let table = Table::parse("tables/scores.sql", text).unwrap().remove(0);
    let formats = [DeclaredFormat::parse("raw/india/scores.toml", DECLARED).unwrap()];
    let raw = Raw::new()
        .days(&[("AA", &[10.0])])
        .file(
            "lists/20250102/export.csv",
            "Score in Thousands,SCRIP,Quarter Ended\n1.5,aa,31/03/2024\nx,aa,2024-06-30\n",
        )
        .file("20250104.json", r#"[{"symbol": "BB", "quarter ended": "2024-03-31", "note": 1}]"#)
        .file("other.csv", "scrip,quarter\nAA,2024-03-31\n");
    let options = RawOptions {
        user_tables: &[&table],
        declared_formats: &formats,
        ..RawOptions::for_market(Market::India)
    };
    let market = raw.read_with(options);
    let date = |text: &str| UserCell::Date(text.parse().unwrap());
    let row = |symbol: &str, filed: &str, score| {
        UserRow(
            vec![UserCell::Text(symbol.into()), date("2024-03-31"), date(filed), score],
            Provenance::default(),
        )
    };
    let rows = [row("AA", "2025-01-02", UserCell::Number(1500.0)), row("BB", "2025-01-04", UserCell::Null)];
    assert_eq!(market.user_rows["scores"], rows);
    assert_eq!(market.report.unused_files, ["other.csv"]);
    let tally = market.report.formats["table scores"];
    assert_eq!((tally.files, tally.read, tally.kept, tally.refused), (2, 3, 2, 1));
    // Without the declaration, the same files are of no format.
    let market =
        raw.read_with(RawOptions { user_tables: &[&table], ..RawOptions::for_market(Market::India) });
    assert_eq!((market.user_rows.len(), market.report.unused_files.len()), (0, 3));
}

#[test]
fn a_file_that_is_named_after_no_table_by_a_mistake_is_told() {
    let raw = Raw::new().days(&[("AA", &[10.0])]).file("callls.csv", "symbol,period_end\nAA,2024-03-31\n");
    let notes = read_with_table(&raw, None).report.gave_nothing;
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert_eq!(notes[0].why, "no table has the name of the file; did you mean `calls`? rename it");
}
