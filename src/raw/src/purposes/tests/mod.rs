//! Purposes as the exchange writes them and variations of them, with the expected results: `purposes.tsv` has the kind, the factor and the
//! dividend, with `-` for none and `?` for one without an amount.

use super::*;

const PURPOSES: &str = include_str!("purposes.tsv");

fn words() -> PurposeWords {
    let mut words = PurposeWords::default();
    words.add(&read_toml(include_str!("../../../../../queries/purposes/india.toml")).unwrap());
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
        let near = |expected: &str, found: Option<f64>| match (expected.parse::<f64>(), found) {
            (Ok(expected), Some(found)) => (found / expected - 1.0).abs() < 1e-7,
            (Err(_), None) => true,
            _ => false,
        };
        let is_paid = match (*dividend, read.dividend) {
            ("-", None) | ("?", Some(None)) => true,
            (expected, Some(Some(paid))) => near(expected, Some(paid)),
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

#[test]
fn a_file_of_ones_own_adds_words_and_a_mistake_in_it_is_named() {
    let own =
        |text: &str| Catalogue::with_overlay(&[("purposes/mine.toml".to_owned(), text.to_owned())]).unwrap();
    let catalogue = own("[actions]\nbonus = [\"gift of shares\"]\n");
    let words = PurposeWords::from_catalogue(&catalogue).unwrap();
    let near = |purpose: &str, factor: f64| (words.read(purpose).factor().unwrap() - factor).abs() < 1e-12;
    assert!(near("GIFT OF SHARES 1:1", 0.5) && near("BON 1:1", 0.5));
    // Other words change the catalogue's fingerprint.
    assert_ne!(catalogue.fingerprint(), Catalogue::with_overlay(&[]).unwrap().fingerprint());
    let mistake = PurposeWords::from_catalogue(&own("[actions]\n\ngift = [\"GIFT\"]\n")).unwrap_err();
    assert_eq!((mistake.file.as_str(), mistake.line), ("purposes/mine.toml", 3));
    assert!(mistake.message.contains("unknown variant `gift`"), "{}", mistake.message);
}
