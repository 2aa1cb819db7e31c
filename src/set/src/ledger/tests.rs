//! Tests of a ledger: what it records, and that a damaged, cut or overtaken file is found.
//!
//! The hashes of lines are computed here from their bytes.

use std::collections::BTreeSet;
use std::fs;

use chrono::NaiveDate;

use super::{Ledger, LedgerModel, LedgerPick, ModelVerdict, ScanPicks};
use crate::error::SetError;
use crate::home::Home;
use parquote_catalogue::operation::Market;

const MARKET: Market = Market::India;

fn day(day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 1, day).unwrap()
}

/// Appends picks of a day of January at its noon.
fn append(ledger: &mut Ledger, number: u32, formulas: &str, picks: &ScanPicks) -> Result<bool, SetError> {
    let noon = day(number).and_hms_opt(12, 0, 0).unwrap().and_utc();
    ledger.append(day(number), noon, formulas, picks)
}

fn picks(of: &[(&str, &str, f64)]) -> ScanPicks {
    let mut picks = ScanPicks::new();
    for (scan, symbol, close) in of {
        picks.entry((*scan).to_owned()).or_default().insert((*symbol).to_owned(), *close);
    }
    picks
}

/// Three sessions: BELA enters on the 2nd, ALFA leaves on the 5th.
fn three_sessions(home: &Home) -> Ledger {
    let mut ledger = Ledger::begin(home, MARKET);
    let first = picks(&[("vcp", "ALFA", 10.0)]);
    let second = picks(&[("vcp", "ALFA", 11.0), ("vcp", "BELA", 20.5), ("all", "BELA", 20.5)]);
    let third = picks(&[("vcp", "BELA", 21.0), ("all", "BELA", 21.0)]);
    for (number, of) in [(1, first), (2, second), (5, third)] {
        assert!(append(&mut ledger, number, "scans 1", &of).unwrap());
    }
    ledger
}

fn read(home: &Home) -> Result<Ledger, String> {
    Ledger::read(home, MARKET).map(Option::unwrap).map_err(|error| error.to_string())
}

fn summary(ledger: &Ledger) -> Vec<String> {
    let left = |pick: &LedgerPick| pick.left_on.map_or("-".to_owned(), |day| day.to_string());
    let one = |pick: LedgerPick| {
        format!("{} {} {} {} {}", pick.scan, pick.symbol, pick.entered_on, pick.close, left(&pick))
    };
    ledger.picks(None).into_iter().map(one).collect()
}

#[test]
fn a_ledger_that_is_stored_elsewhere_has_one_line_a_session_and_continues_its_name() {
    let mut text = String::new();
    let next = |text: &str, number: u32, of: &[(&str, &str, f64)]| {
        let noon = day(number).and_hms_opt(12, 0, 0).unwrap().and_utc();
        let ledger = Ledger::parse(MARKET, "of A", text).unwrap();
        ledger.line_after(day(number), noon, "set 1", &picks(of)).unwrap()
    };
    for (number, of) in [(1, vec![("x", "ALFA", 10.0)]), (2, vec![]), (5, vec![("x", "ALFA", 12.0)])] {
        text.push_str(&next(&text, number, &of).unwrap());
        // The first line of a session stands.
        assert_eq!(next(&text, number, &[("x", "BELA", 1.5)]), None);
    }
    assert_eq!(next(&text, 4, &[]), None);
    let ledger = Ledger::parse(MARKET, "of A", &text).unwrap();
    assert_eq!(summary(&ledger), ["x ALFA 2026-01-01 10 2026-01-02", "x ALFA 2026-01-05 12 -"]);
    let first = &ledger.lines()[0].0;
    assert_eq!(first.previous, blake3::hash(b"of A").to_hex().as_str());
    for (name, text) in [("of B", text.as_str()), ("of A", &text[..text.len() - 1])] {
        let error = Ledger::parse(MARKET, name, text).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("begin another under another name"), "{error}");
    }
}

#[test]
fn a_verdict_of_a_model_counts_after_the_day_up_to_which_the_model_was_trained() {
    let verdict = |number: u32, symbol: &str, trained_until: Option<u32>| ModelVerdict {
        session: day(number),
        at: day(9).and_hms_opt(12, 0, 0).unwrap().and_utc(),
        formulas: "set 1".to_owned(),
        verdict: "BUY".to_owned(),
        stocks: [(symbol.to_owned(), 10.0)].into(),
        model: LedgerModel {
            provider: "p".to_owned(),
            model: "m".to_owned(),
            trained_until: trained_until.map(day),
            ranked: Vec::new(),
        },
    };
    let mut text = String::new();
    let line =
        |text: &str, verdict| Ledger::parse(MARKET, "p/m", text).unwrap().verdict_line(verdict).unwrap();
    // On the day itself, after it, without a day, and on data older than that of the line before.
    for (number, symbol, until) in
        [(5, "ALFA", Some(5)), (6, "ALFA", Some(5)), (7, "ALFA", None), (6, "BELA", Some(5))]
    {
        text.push_str(&line(&text, verdict(number, symbol, until)).unwrap());
        assert_eq!(
            line(&text, verdict(number, symbol, Some(1))),
            None,
            "the first verdict of a session stands"
        );
    }
    // Of several stocks those that have no verdict in the session.
    let both = ["ALFA", "CELA"].map(|symbol| (symbol.to_owned(), 10.0)).into();
    text.push_str(&line(&text, ModelVerdict { stocks: both, ..verdict(6, "ALFA", Some(5)) }).unwrap());
    let ledger = Ledger::parse(MARKET, "p/m", &text).unwrap();
    let scored: Vec<bool> = ledger.lines().iter().map(|(line, _)| line.is_scored()).collect();
    assert_eq!(scored, [false, true, false, true, true]);
    let symbols: Vec<&str> = ledger.lines()[4].0.entered["BUY"].keys().map(String::as_str).collect();
    assert_eq!((symbols, ledger.picks(None).len()), (vec!["CELA"], 5));
}

#[test]
fn a_pick_lasts_from_its_first_session_to_the_one_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    assert!(Ledger::read(&home, MARKET).unwrap().is_none());
    let written = three_sessions(&home);
    let expected =
        ["vcp ALFA 2026-01-01 10 2026-01-05", "all BELA 2026-01-02 20.5 -", "vcp BELA 2026-01-02 20.5 -"];
    assert_eq!(summary(&written), expected);
    let again = read(&home).unwrap();
    assert_eq!((again.lines(), summary(&again)), (written.lines(), summary(&written)));
    assert_eq!(written.lines()[1].0.previous, written.lines()[0].1);
    let text = fs::read_to_string(written.path()).unwrap();
    let first = text.lines().next().unwrap();
    let hashed = &first[..first.find(",\"hash\"").unwrap()];
    assert_eq!(blake3::hash(hashed.as_bytes()).to_hex().as_str(), written.lines()[0].1);
}

#[test]
fn a_session_is_recorded_once_and_corrected_by_a_line_of_its_changes() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let mut ledger = three_sessions(&home);
    let bytes = fs::read(ledger.path()).unwrap();
    let same = picks(&[("vcp", "BELA", 21.0), ("all", "BELA", 21.0)]);
    assert!(!append(&mut ledger, 5, "scans 1", &same).unwrap(), "the same picks");
    assert!(!append(&mut ledger, 2, "scans 1", &ScanPicks::new()).unwrap(), "an earlier session");
    assert_eq!(fs::read(ledger.path()).unwrap(), bytes);

    let corrected = picks(&[("vcp", "CERI", 5.0)]);
    assert!(append(&mut ledger, 5, "scans 1", &corrected).unwrap());
    assert!(append(&mut ledger, 5, "scans 1", &picks(&[("vcp", "CERI", 5.5)])).unwrap(), "another close");
    assert!(append(&mut ledger, 5, "scans 2", &picks(&[("vcp", "CERI", 5.5)])).unwrap(), "other formulas");
    assert!(fs::read(ledger.path()).unwrap().starts_with(&bytes), "no line is rewritten");
    assert_eq!(ledger.lines()[3].0.left["vcp"], BTreeSet::from(["BELA".to_owned()]));
    let expected = [
        "vcp ALFA 2026-01-01 10 2026-01-05",
        "all BELA 2026-01-02 20.5 2026-01-05",
        "vcp BELA 2026-01-02 20.5 2026-01-05",
        "vcp CERI 2026-01-05 5 2026-01-05",
        "vcp CERI 2026-01-05 5.5 -",
    ];
    assert_eq!(summary(&ledger), expected);
    assert_eq!(summary(&read(&home).unwrap()), expected);
}

#[test]
fn every_changed_byte_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let ledger = three_sessions(&home);
    let sound = fs::read(ledger.path()).unwrap();
    for at in 0..sound.len() {
        for changed in [sound[at] ^ 1, b'\n', b' '].into_iter().filter(|byte| *byte != sound[at]) {
            let mut bytes = sound.clone();
            bytes[at] = changed;
            fs::write(ledger.path(), &bytes).unwrap();
            let Err(error) = read(&home) else { panic!("byte {at} is {changed}") };
            assert!(error.contains("india.jsonl") && error.contains("line "), "{error}");
        }
    }
    let lines: Vec<&[u8]> = sound.split_inclusive(|byte| *byte == b'\n').collect();
    for swapped in [[lines[1], lines[0], lines[2]].concat(), [lines[0], lines[2]].concat()] {
        fs::write(ledger.path(), swapped).unwrap();
        read(&home).unwrap_err();
    }
}

/// A file that was cut has a shorter chain, which only the head of a published set reveals.
#[test]
fn a_torn_line_is_cut_by_the_next_append_and_a_lost_line_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let ledger = three_sessions(&home);
    let sound = fs::read(ledger.path()).unwrap();
    let ends: Vec<usize> = (0..sound.len()).filter(|at| sound[*at] == b'\n').map(|at| at + 1).collect();
    for length in 0..sound.len() {
        fs::write(ledger.path(), &sound[..length]).unwrap();
        let cut = read(&home).unwrap();
        let complete = ends.iter().filter(|end| **end <= length).count();
        assert_eq!(cut.lines().len(), complete, "{length} bytes");
        let start = ends[..complete].last().copied().unwrap_or_default();
        assert_eq!(cut.torn_bytes(), (length - start) as u64, "{length} bytes");
        let error = cut.check_continues(3, ledger.head()).unwrap_err().to_string();
        assert!(error.contains("is broken at line 3: the newest set knows line 3"), "{error}");
    }
    let mut cut = read(&home).unwrap();
    assert!(cut.torn_bytes() > 0);
    assert!(append(&mut cut, 6, "scans 1", &ScanPicks::new()).unwrap());
    let again = read(&home).unwrap();
    assert_eq!((again.lines().len(), again.torn_bytes()), (3, 0));
    again.check_continues(2, &ledger.lines()[1].1).unwrap();
    again.check_continues(3, ledger.head()).unwrap_err();
}

#[test]
fn a_ledger_of_another_market_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let ledger = three_sessions(&home);
    fs::copy(ledger.path(), folder.path().join("ledger/us.jsonl")).unwrap();
    let error = Ledger::read(&home, Market::Us).unwrap_err().to_string();
    assert!(error.contains("us.jsonl is broken at line 1: it is of the market india"), "{error}");
}

#[test]
fn a_writer_that_was_overtaken_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let mut ledger = three_sessions(&home);
    let mut other = read(&home).unwrap();
    assert!(append(&mut ledger, 6, "scans 1", &ScanPicks::new()).unwrap());
    let bytes = fs::read(ledger.path()).unwrap();
    let error = append(&mut other, 7, "scans 1", &ScanPicks::new()).unwrap_err();
    assert!(matches!(error, SetError::File { .. }), "{error}");
    assert_eq!(fs::read(ledger.path()).unwrap(), bytes);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    fs::create_dir_all(folder.path().join("ledger/india.jsonl")).unwrap();
    let mut ledger = Ledger::begin(&home, MARKET);
    let error = append(&mut ledger, 1, "scans 1", &ScanPicks::new()).unwrap_err().to_string();
    assert!(error.contains("india.jsonl cannot be appended to"), "{error}");
    Ledger::read(&home, MARKET).unwrap_err();
}
