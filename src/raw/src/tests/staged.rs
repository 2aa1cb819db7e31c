//! Tables computed by a SELECT from the rows of raw files: refusals with reasons of the SELECT, numbers of rows, mistakes of the SELECT.

use super::*;
use crate::user_tables::file::UserTables;

const HEAD: &str = "-- Gifts.\n\n-- market: india\n-- key: symbol, given_on, sequence\n-- sorted: symbol, given_on, sequence\n\
    -- source: staged\n-- staged: symbol text, day date, written text of day, worth money?\n-- duplicates: as often as in one file\n\
    -- column: symbol text \"S.\"\n-- column: given_on date \"D.\"\n-- column: sequence int \"N.\"\n-- column: worth number \"W.\"\n\
    -- column: source text? \"F.\"\n\n";

const FORMAT: &str =
    "table = 'gifts'\n[columns]\nsymbol = 'TO'\nday = 'ON'\nworth = { names = ['WORTH'], optional = true }\n";

const SELECT: &str = "SELECT symbol, day AS given_on, worth, CASE WHEN upper(written) = 'NONE' THEN 'nothing given' \
    WHEN day IS NULL THEN 'bad date' END AS refused FROM staged ORDER BY worth";

fn gifts(select: &str) -> Table {
    Table::parse("tables/gifts.sql", &format!("{HEAD}{select}\n")).unwrap().remove(0)
}

#[test]
fn a_select_says_what_rows_are_and_why_others_are_none() {
    let (table, format) = (gifts(SELECT), DeclaredFormat::parse("raw/india/gifts.toml", FORMAT).unwrap());
    let raw = Raw::new()
        .days(&[("OLD", &[10.0, 0.0]), ("NEW", &[0.0, 11.0])])
        .file("symbolchange.csv", "Company Ltd,OLD,NEW,02-JAN-2025\n")
        .file("one.csv", "to,on,worth\nold,2025-01-01,\"1,200\"\nold,2025-01-01,\"1,200\"\nold,2025-01-01,7\nold,none,\nold,soon,1\nTo,On,Worth\n")
        .file("two.csv", "worth,to,on\n7,NEW,2025-01-01\n,NEW,2025-01-01\n8,NEW,2025-01-01,9\n");
    let market = raw.read_with(RawOptions {
        user_tables: &[&table],
        declared_formats: &[format],
        ..RawOptions::for_market(Market::India)
    });
    let number = |row: &UserRow| match (&row.0[0], &row.0[2], &row.0[3]) {
        (UserCell::Text(symbol), UserCell::Int(number), UserCell::Number(worth)) => {
            (symbol.clone(), *number, *worth)
        }
        other => panic!("{other:?}"),
    };
    let rows: Vec<_> = market.user_rows["gifts"].iter().map(number).collect();
    let new = || "NEW".to_owned();
    // Both files have the gift of 7; one file has two equal gifts of 1,200.
    assert_eq!(rows, [(new(), 1, 7.0), (new(), 2, 1200.0), (new(), 3, 1200.0)]);
    let tally = market.report.formats["table gifts"];
    assert_eq!((tally.read, tally.kept, tally.identical, tally.refused), (9, 3, 1, 5));
    let reasons = ["nothing given", "bad date", "header line repeated", "no value", "wrong number of fields"];
    assert_eq!(reasons.map(|words| market.refused_as(words)), [1; 5]);
}

#[test]
fn mistakes_of_a_select_are_told_with_their_place() {
    for (select, message) in [
        ("SELECT symbol, day AS given_on, prize AS worth FROM staged", "No field named prize"),
        ("SELECT symbol, day AS given_on FROM staged", "the SELECT gives no column `worth` of number"),
        (
            "SELECT symbol, day AS given_on, symbol AS worth FROM staged",
            "the SELECT gives no column `worth` of number",
        ),
        (
            "SELECT symbol, max(day) AS given_on, max(worth) AS worth FROM staged GROUP BY symbol",
            "one row at a time",
        ),
        ("SELECT symbol, day AS given_on, worth FROM staged WHERE worth > 0", "one row at a time"),
    ] {
        let table = gifts(select);
        let mistake = UserTables::new(&[&table], &[], Market::India).map(drop).unwrap_err().to_string();
        assert!(mistake.starts_with("tables/gifts.sql:15: ") && mistake.contains(message), "{mistake}");
    }
}
