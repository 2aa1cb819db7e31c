//! Purposes as the exchange writes them and variations of them, with what they say: `purposes.tsv` has the kind, the factor and the dividend, with
//! `-` for none and `?` for one whose amount is not said.

use super::*;

const PURPOSES: &str = include_str!("purposes.tsv");

fn words() -> PurposeWords {
    let mut words = PurposeWords::default();
    words.add(&read_toml(include_str!("../../../queries/purposes/india.toml")).unwrap());
    words
}

#[test]
fn purposes_say_what_they_mean() {
    let words = words();
    let mut wrong = Vec::new();
    for line in PURPOSES.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [purpose, kind, factor, dividend] = cells.as_slice() else { panic!("{line}") };
        let read = words.read(purpose);
        let near = |told: &str, found: Option<f64>| match (told.parse::<f64>(), found) {
            (Ok(told), Some(found)) => (found / told - 1.0).abs() < 1e-7,
            (Err(_), None) => true,
            _ => false,
        };
        let is_paid = match (*dividend, read.dividend) {
            ("-", None) | ("?", Some(None)) => true,
            (told, Some(Some(paid))) => near(told, Some(paid)),
            _ => false,
        };
        if format!("{:?}", read.kind()).to_lowercase() != *kind || !near(factor, read.factor()) || !is_paid {
            wrong.push(format!(
                "{purpose:?}: {kind} {factor} {dividend}, read as {:?} {:?} {read:?}",
                read.kind(),
                read.factor()
            ));
        }
    }
    assert!(
        PURPOSES.lines().count() > 400 && wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn words_that_no_file_has_are_told() {
    let words = words();
    assert_eq!(words.read("BONUS 1:1 ZORBL").unknown, ["ZORBL"]);
    assert_eq!(words.read("QUUX RS 5").unknown, ["QUUX"]);
    assert!(words.read("DEMERGER OF OMEGA TEXTILES").unknown.is_empty(), "names of companies");
    assert!(words.read("AGM/DIV - RS 2 PER SH/FVSPLT FRM RS 10 TO RS 2").unknown.is_empty());
}
