//! The little market with its files in the layouts of archives and web services gives the same tables.
//!
//! Each demo file is replaced by a file in the layout of a published source with the same rows, so the original tables are the
//! expected ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use chrono::{NaiveDate, TimeZone};
use chrono_tz::America::New_York;
use parquote::engine::Snapshot;
use parquote::operation::Market;
use serde_json::{Map, Value as Json, json};

use crate::demo_market::{LITTLE, copy_folder, derive_into, open_whole};
use crate::selected::{Rows, select};

/// Reads the rows of a CSV file, its header first.
fn csv_rows(path: &Path) -> Vec<Vec<String>> {
    let reader = csv::ReaderBuilder::new().has_headers(false).from_path(path);
    let rows = reader.unwrap().into_records().map(Result::unwrap);
    rows.map(|row| row.iter().map(str::to_owned).collect()).collect()
}

fn lines(rows: &[Vec<String>], separator: &str) -> String {
    rows.iter().map(|row| row.join(separator) + "\n").collect()
}

/// Returns some columns of rows, by name, without repeated rows.
fn columns(rows: &[Vec<String>], names: &[&str]) -> Vec<Vec<String>> {
    let places: Vec<usize> =
        names.iter().map(|name| rows[0].iter().position(|cell| cell == name).unwrap()).collect();
    let mut seen = BTreeSet::new();
    let rows = rows.iter().map(|row| places.iter().map(|place| row[*place].clone()).collect::<Vec<_>>());
    rows.filter(|row| seen.insert(row.clone())).collect()
}

fn zip_file(path: &Path, members: &[(&str, String)]) {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in members {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    fs::write(path, archive.finish().unwrap().into_inner()).unwrap();
}

/// Writes the bars of the last session as a day file of Massive, and listings as a web service's answer and as a directory file.
fn exchanges(us: &Path) {
    let path = us.join("prices_2026.csv");
    let mut rows = csv_rows(&path);
    let last = rows.last().unwrap()[1].clone();
    let of_last: Vec<Vec<String>> = rows.extract_if(1.., |row| row[1] == last).collect();
    fs::write(&path, lines(&rows, ",")).unwrap();
    let day: NaiveDate = last.parse().unwrap();
    let start = New_York.from_local_datetime(&day.and_hms_opt(0, 0, 0).unwrap()).unwrap();
    let start = start.timestamp_nanos_opt().unwrap();
    let mut text = "ticker,volume,open,close,high,low,window_start,transactions\n".to_owned();
    for row in of_last {
        let [symbol, _, open, high, low, close, volume] = &row[..] else { panic!("{row:?}") };
        writeln!(text, "{symbol},{volume},{open},{close},{high},{low},{start},1").unwrap();
    }
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    fs::create_dir(us.join("massive")).unwrap();
    fs::write(us.join(format!("massive/{last}.csv.gz")), packed.finish().unwrap()).unwrap();

    let listings = csv_rows(&us.join("listings.csv"));
    fs::remove_file(us.join("listings.csv")).unwrap();
    let object = |row: &Vec<String>| {
        let cells = listings[0].iter().cloned().zip(row.iter().map(|cell| Json::from(cell.as_str())));
        Json::Object(cells.collect::<Map<_, _>>())
    };
    let objects: Vec<Json> = listings[1..].iter().map(object).collect();
    let answer = json!({"data": {"asOf": null, "rows": objects}, "status": {"rCode": 200}});
    fs::write(us.join("listings.json"), answer.to_string()).unwrap();
    let letter = |exchange: &str| match exchange {
        "NASDAQ" => "Q",
        "NYSE" => "N",
        _ => "A",
    };
    let mut directory =
        "Nasdaq Traded|Symbol|Security Name|Listing Exchange|ETF|Test Issue|NextShares\n".to_owned();
    for row in &listings[1..] {
        let etf = if row[2].is_empty() { "Y" } else { "N" };
        writeln!(directory, "Y|{}|{}|{}|{etf}|N|N", row[0], row[1], letter(&row[5])).unwrap();
    }
    directory += "File Creation Time: 1030202621:00||||||\n";
    fs::write(us.join("nasdaqtraded.txt"), directory).unwrap();
}

/// Writes insiders' transactions in the layout of the SEC's data set.
fn insiders(sec: &Path) {
    let rows = csv_rows(&sec.join("insider_transactions.csv"));
    assert!(rows.len() > 5, "{} rows", rows.len());
    fs::remove_file(sec.join("insider_transactions.csv")).unwrap();
    let submission = [
        "ACCESSION_NUMBER", "FILING_DATE", "DOCUMENT_TYPE", "ISSUERCIK", "ISSUERNAME", "ISSUERTRADINGSYMBOL",
    ];
    let owner =
        ["ACCESSION_NUMBER", "RPTOWNERCIK", "RPTOWNERNAME", "RPTOWNER_RELATIONSHIP", "RPTOWNER_TITLE"];
    // These columns are cut without removing repeated rows, because equal transactions of one form both count.
    let transaction = [0, 10, 11, 12, 13, 14, 15, 16];
    let transactions: Vec<Vec<String>> =
        rows.iter().map(|row| transaction.iter().map(|place| row[*place].clone()).collect()).collect();
    let members = [
        ("SUBMISSION.tsv", lines(&columns(&rows, &submission), "\t")),
        ("REPORTINGOWNER.tsv", lines(&columns(&rows, &owner), "\t")),
        ("NONDERIV_TRANS.tsv", lines(&transactions, "\t")),
    ];
    zip_file(&sec.join("2026q3_form345.zip"), &members);
}

const POSITIONS: &str =
    "SELECT cik, report_date, filed_on, cusip, option_type, symbol, issuer, share_class, shares, value_usd
                         FROM investor_positions ORDER BY cik, report_date, cusip, option_type";

/// Writes positions in the layout of the SEC's data set, made from the table.
fn positions(sec: &Path, rows: &Rows) {
    assert!(rows.len() > 20, "{} rows", rows.len());
    fs::remove_file(sec.join("form13f.zip")).unwrap();
    let text = |row: &Json, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let day = |row: &Json, name: &str| {
        let day: NaiveDate = row[name].as_str().unwrap().parse().unwrap();
        day.format("%d-%b-%Y").to_string().to_uppercase()
    };
    let report = |row: &Json| (text(row, "cik"), text(row, "report_date"));
    let mut originals: BTreeMap<(String, String), String> = BTreeMap::new();
    for row in rows {
        let filed = text(row, "filed_on");
        let first = originals.entry(report(row)).or_insert_with(|| filed.clone());
        *first = filed.min(first.clone());
    }
    let mut submissions = BTreeSet::new();
    let mut pages = BTreeSet::new();
    let mut table = "ACCESSION_NUMBER\tINFOTABLE_SK\tNAMEOFISSUER\tTITLEOFCLASS\tCUSIP\tVALUE\tSSHPRNAMT\tSSHPRNAMTTYPE\tPUTCALL\n".to_owned();
    for (number, row) in rows.iter().enumerate() {
        let (cik, quarter) = report(row);
        let filed = text(row, "filed_on");
        let accession = format!("{cik}-{}-{}", &quarter[5..7], &filed.replace('-', "")[2..]);
        // Rows filed later than the rest of a report are an amendment.
        let (form, amendment) =
            if originals[&report(row)] == filed { ("13F-HR", "") } else { ("13F-HR/A", "NEW HOLDINGS") };
        let said: [&str; 5] = [&accession, &day(row, "filed_on"), form, &cik, &day(row, "report_date")];
        submissions.insert(said.join("\t") + "\n");
        pages.insert(format!("{accession}\t{amendment}\tManager {cik}\n"));
        let option = text(row, "option_type").replace("none", "");
        let kind = if row["shares"].is_null() { "PRN" } else { "SH" };
        let amount = row["shares"].as_i64().unwrap_or(1);
        let (issuer, class, cusip) = (text(row, "issuer"), text(row, "share_class"), text(row, "cusip"));
        let value = &row["value_usd"];
        writeln!(
            table,
            "{accession}\t{number}\t{issuer}\t{class}\t{cusip}\t{value}\t{amount}\t{kind}\t{option}"
        )
        .unwrap();
    }
    let under =
        |header: &str, rows: BTreeSet<String>| header.to_owned() + &rows.into_iter().collect::<String>();
    let members = [
        (
            "SUBMISSION.tsv",
            under("ACCESSION_NUMBER\tFILING_DATE\tSUBMISSIONTYPE\tCIK\tPERIODOFREPORT\n", submissions),
        ),
        ("COVERPAGE.tsv", under("ACCESSION_NUMBER\tAMENDMENTTYPE\tFILINGMANAGER_NAME\n", pages)),
        ("INFOTABLE.tsv", table),
    ];
    zip_file(&sec.join("2026q3_form13f.zip"), &members);
}

/// Writes the prices of an index that is in no other file.
fn index(india: &Path) {
    let text = "Index Name,Index Date,Open Index Value,High Index Value,Low Index Value,Closing Index Value,Points Change,Change(%),Volume,\
                Turnover (Rs. Cr.),P/E,P/B,Div Yield\nNifty Odd Ones,30-10-2026,100,110,90,105.5,5.5,5.5,1,1,20,3,1\n\
                Nifty Close Only,30-10-2026,-,-,-,105.5,5.5,5.5,-,-,-,-,-\n";
    fs::write(india.join("ind_close_all_30102026.csv"), text).unwrap();
}

/// SELECTs with the same result for both sets of files.
const SAME: [(Market, &str); 4] = [
    (Market::Us, "SELECT * FROM daily_prices ORDER BY symbol, session"),
    (Market::Us, "SELECT * FROM companies ORDER BY symbol"),
    (
        Market::Us,
        "SELECT symbol, filed_on, traded_from, person, category, officer_title, security_type, side, transaction_code, shares, price,
                value_usd, held_before, held_after, ownership, form, accession
         FROM   insider_trades ORDER BY symbol, filed_on, accession, sequence",
    ),
    (Market::Us, POSITIONS),
];

fn differing(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let mut problems = Vec::new();
    for (market, sql) in SAME {
        let (before, after) = (select(before, market, sql), select(after, market, sql));
        assert!(before.len() > 5, "{} rows of {sql}", before.len());
        let other = before.iter().zip(&after).find(|(before, after)| before != after);
        if before.len() != after.len() || other.is_some() {
            problems.push(format!("{sql}: {} rows, then {}; {other:?}", before.len(), after.len()));
        }
    }
    problems
}

#[test]
fn files_as_they_are_published_give_the_same_tables() {
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy_folder(&LITTLE.raw, raw.path());
    let before = open_whole(&LITTLE.data);
    let us = raw.path().join("us");
    exchanges(&us);
    insiders(&us.join("sec"));
    positions(&us.join("sec"), &select(&before, Market::Us, POSITIONS));
    index(&raw.path().join("india"));
    derive_into(raw.path(), data.path(), None);
    let after = open_whole(data.path());
    let problems = differing(&before, &after);
    assert!(problems.is_empty(), "{problems:#?}");
    let sql = "SELECT open, high, low, close FROM index_prices WHERE index_name = 'NIFTYODDONES'";
    let bars = select(&after, Market::India, sql);
    assert_eq!(bars, [json!({"open": 100.0, "high": 110.0, "low": 90.0, "close": 105.5})]);
}
