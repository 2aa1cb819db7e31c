//! Real files, if `PARQUOTE_REAL` names the folder with `india` and `us`. Their figures are printed, not asserted.

use std::path::PathBuf;
use std::time::Instant;

use super::*;

fn print_report(market: Market) {
    let folder =
        PathBuf::from(std::env::var("PARQUOTE_REAL").expect("PARQUOTE_REAL names the folder of raw files"));
    let start = Instant::now();
    // `PARQUOTE_OUT` saves the report and the refused rows.
    let vanishing = tempfile::tempdir().unwrap();
    let out = std::env::var("PARQUOTE_OUT").map_or_else(|_| vanishing.path().to_owned(), PathBuf::from);
    let mut sink = RefusedFile::create(&out.join(format!("{market}-refused.csv.gz"))).unwrap();
    let options = RawOptions { allow_unreadable: true, ..RawOptions::for_market(market) };
    let read = read(&folder.join(market.word()), &options, &mut sink, &SilentProgress).unwrap();
    println!("{}\n{:?} in all", read.report, start.elapsed());
    assert!(read.report.adds_up());
    let report = serde_json::to_string_pretty(&(&read.report, &read.actions)).unwrap();
    fs::write(out.join(format!("{market}-report.json")), report).unwrap();
}

#[test]
#[ignore = "needs real files"]
fn india() {
    print_report(Market::India);
}

#[test]
#[ignore = "needs real files"]
fn us() {
    print_report(Market::Us);
}
