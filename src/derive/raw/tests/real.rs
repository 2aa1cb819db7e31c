//! Real files, when `PARQUOTE_REAL` names the folder that holds `india` and `us`. Their figures are looked at, not asserted.

use std::path::PathBuf;
use std::time::Instant;

use super::*;

fn look_at(market: Market) {
    let folder =
        PathBuf::from(std::env::var("PARQUOTE_REAL").expect("PARQUOTE_REAL names the folder of raw files"));
    let start = Instant::now();
    let refused = tempfile::tempdir().unwrap();
    let mut sink = RefusedFile::create(&refused.path().join("refused.csv.gz")).unwrap();
    let options = RawOptions { market, as_of: None, lists_as_of: None };
    let read = read(&folder.join(market.word()), &options, &mut sink, &Silent).unwrap();
    sink.finish().unwrap();
    println!("{}\n{:?} in all", read.report, start.elapsed());
    assert!(read.report.adds_up());
    if let Ok(path) = std::env::var("PARQUOTE_REPORT") {
        fs::write(path, serde_json::to_string_pretty(&read.report).unwrap()).unwrap();
    }
}

#[test]
#[ignore = "needs real files"]
fn india() {
    look_at(Market::India);
}

#[test]
#[ignore = "needs real files"]
fn us() {
    look_at(Market::Us);
}
