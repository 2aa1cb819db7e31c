//! The next filing: day-by-day derivation with statements gives the same tables as raw files alone, and tables without new
//! facts are reused.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use flate2::read::MultiGzDecoder;

use crate::demo_market::file;
use crate::next_day::{derive_india, differing, long_market, numbers};
use crate::tables;

/// The table of reported figures.
const LINES: &str = "statement_lines";

/// Tables that are reused until new facts about statements are known.
const OF_STATEMENTS: [&str; 4] = ["reported_periods", "statements", "quarter_changes", "compared_quarters"];

/// A day without filings, one on which a filing already in the raw files becomes known, and one with a file of a new
/// and a restated filing.
#[test]
fn days_with_and_without_filings_give_what_all_days_give() {
    let (raw, data, held) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (raw, data) = (raw.path(), data.path());
    let files = long_market(raw);
    let days: Vec<NaiveDate> = files.iter().map(|file| day_of(file)).collect();
    let told = days_that_tell(&raw.join("india"));
    let tells = |at: usize| told.range(..=days[at]).next_back() > told.range(..=days[at - 1]).next_back();
    let quiet = (1..days.len() - 2).rev().find(|at| !tells(*at) && tells(at + 1)).unwrap();
    let hidden = |file: &Path| held.path().join(file.file_name().unwrap());
    for file in &files[quiet..] {
        fs::rename(file, hidden(file)).unwrap();
    }
    let more = |at: usize| fs::rename(hidden(&files[at]), &files[at]).unwrap();
    derive_india(raw, data);

    more(quiet);
    let stands = stands_over(raw, data);
    assert!(stands(LINES) && OF_STATEMENTS.iter().all(|name| stands(name)), "made again on a quiet day");

    more(quiet + 1);
    let stands = stands_over(raw, data);
    assert!(stands(LINES), "lines of files that are as they were were written again");
    assert!(!OF_STATEMENTS.iter().any(|name| stands(name)), "a filing that became known was missed");

    more(quiet + 2);
    let period = |rows: &str| format!("{HEADER}{}", rows.replace("DAY", &days[quiet + 2].to_string()));
    let company = a_company(&raw.join("india"));
    let (new, restated) = (new_figure(&company), restated_figure(&company, &raw.join("india"), days[quiet]));
    fs::write(raw.join("india/statements/news.csv"), period(&(new + &restated))).unwrap();
    let before = lines_of(data);
    let stands = stands_over(raw, data);
    assert!(!stands(LINES) && !stands("reported_periods"), "a new file was missed");
    assert_eq!(lines_of(data), before + 2);
}

const HEADER: &str =
    "symbol,period_end,period_type,basis,statement,line,value,unit,currency,filed_at,source\n";

/// Derives onto the existing set and compares with a derivation from scratch; the returned function is true for reused tables.
fn stands_over(raw: &Path, data: &Path) -> impl Fn(&str) -> bool + use<> {
    let before = numbers(data);
    derive_india(raw, data);
    let after = numbers(data);
    let alone = tempfile::tempdir().unwrap();
    derive_india(raw, alone.path());
    assert_eq!(differing(data, alone.path()), Vec::<PathBuf>::new());
    for read in [report, refused] {
        assert_eq!(read(&data.join("india")), read(&alone.path().join("india")));
    }
    move |table| {
        let file = PathBuf::from(format!("{table}.parquet"));
        before.get(&file).unwrap() == after.get(&file).unwrap()
    }
}

fn report(market: &Path) -> String {
    fs::read_to_string(market.join("report.json")).unwrap()
}

fn refused(market: &Path) -> String {
    let mut text = String::new();
    let file = fs::File::open(market.join("refused.csv.gz")).unwrap();
    MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

fn lines_of(data: &Path) -> usize {
    tables::read(&file(data, &format!("india/{LINES}.parquet"))).num_rows()
}

fn day_of(prices: &Path) -> NaiveDate {
    let name = prices.file_stem().unwrap().to_str().unwrap();
    NaiveDate::parse_from_str(name.strip_prefix("sec_bhavdata_full_").unwrap(), "%d%m%Y").unwrap()
}

/// Returns the rows of all statement files, cell by cell.
fn rows(india: &Path) -> Vec<Vec<String>> {
    let files = fs::read_dir(india.join("statements")).unwrap();
    let texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let cells = |line: &str| line.split(',').map(str::to_owned).collect();
    texts.flat_map(|text| text.lines().skip(1).map(cells).collect::<Vec<_>>()).collect()
}

/// Returns the days on which a line is filed or an action is due.
fn days_that_tell(india: &Path) -> BTreeSet<NaiveDate> {
    let actions = fs::read_to_string(india.join("corporate_actions.csv")).unwrap();
    let due = actions.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_owned());
    rows(india).into_iter().map(|row| row[9].clone()).chain(due).map(|day| day.parse().unwrap()).collect()
}

/// Returns a company with quarters.
fn a_company(india: &Path) -> String {
    let is_quarter = |row: &&Vec<String>| row[2] == "quarterly" && row[5] == "revenue";
    rows(india).iter().find(is_quarter).unwrap()[0].clone()
}

/// Returns the revenue of a quarter without other facts.
fn new_figure(company: &str) -> String {
    format!("{company},2012-03-31,quarterly,consolidated,income,revenue,77,INR crore,INR,DAY,news\n")
}

/// Returns another revenue for the newest quarter that is known on a day.
fn restated_figure(company: &str, india: &Path, on: NaiveDate) -> String {
    let rows = rows(india);
    let of_company =
        rows.iter().filter(|row| row[0] == company && row[2] == "quarterly" && row[5] == "revenue");
    let newest = of_company.filter(|row| row[9] <= on.to_string()).max_by_key(|row| &row[1]).unwrap();
    format!("{company},{},quarterly,{},income,revenue,123456,INR crore,INR,DAY,news\n", newest[1], newest[3])
}
