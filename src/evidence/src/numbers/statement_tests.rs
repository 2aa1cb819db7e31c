//! Sentences against paragraphs that state their figures and actions in the same or another way. The file of cases was written by hand, in
//! the words of press releases, calls and quarterly reports of India and the US.

use std::fmt::Write as _;

use super::PassageEvidence;
use super::statement_words::is_direction;

const CASES: &str = include_str!("statement_cases.txt");
/// Maximum number of struck sentences per thousand that their paragraph supports.
const MOST_STRUCK_PER_THOUSAND: usize = 30;

/// Returns the paragraphs of the file with their sentences, each with true if the paragraph supports it.
fn cases() -> Vec<(&'static str, Vec<(&'static str, bool)>)> {
    let mut cases: Vec<(&str, Vec<(&str, bool)>)> = Vec::new();
    for line in CASES.lines() {
        let Some((mark, text)) = line.split_once(' ') else { continue };
        match mark {
            "=" => cases.push((text, Vec::new())),
            "+" | "-" => cases.last_mut().unwrap().1.push((text, mark == "+")),
            _ => {}
        }
    }
    cases
}

#[test]
fn a_sentence_says_of_its_figures_and_actions_what_the_paragraph_says() {
    let (mut supported, mut struck, mut report) = (0, 0, String::new());
    let mut passed = 0;
    for (paragraph, sentences) in cases() {
        let evidence =
            PassageEvidence::from_texts([paragraph]).with_names("Alfa Limited").with_company("Alfa Limited");
        for (sentence, is_supported) in sentences {
            let missing = evidence.missing(sentence);
            supported += usize::from(is_supported);
            if missing.is_empty() != is_supported {
                struck += usize::from(is_supported);
                passed += usize::from(!is_supported);
                writeln!(report, "{is_supported}: {sentence} {missing:?}\n    {paragraph}").unwrap();
            }
        }
    }
    assert!(supported > 120, "{supported}");
    assert!(
        passed == 0 && struck * 1_000 <= supported * MOST_STRUCK_PER_THOUSAND,
        "{struck} {passed}\n{report}"
    );
}

/// A paragraph supports each sentence of it, whatever its words are.
#[test]
fn a_paragraph_supports_its_own_sentences() {
    let mut struck = Vec::new();
    for (paragraph, _) in cases() {
        let evidence = PassageEvidence::from_texts([paragraph]);
        let whole = evidence.missing(paragraph);
        if !whole.is_empty() {
            struck.push(format!("{paragraph} {whole:?}"));
        }
    }
    assert_eq!(struck, [""; 0]);
}

/// The passages of a sentence are read as one: a denial in one of them does not deny what another one says of something else.
#[test]
fn statements_of_several_paragraphs_are_all_read() {
    let evidence = PassageEvidence::from_texts([
        "The Board did not declare a dividend.",
        "Revenue rose to Rs 450 crore in Q1 FY27.",
        "Net profit fell to Rs 45 crore.",
    ]);
    for (sentence, part) in [
        ("Revenue rose to Rs 450 crore and net profit fell to Rs 45 crore.", None),
        ("No dividend was declared.", None),
        ("A dividend was declared.", Some("declared with its denial")),
        ("Net profit rose to Rs 45 crore.", Some("45 crore with its direction")),
        ("Revenue fell.", Some("fell with its direction")),
    ] {
        let missing = evidence.missing(sentence);
        assert_eq!(
            missing.iter().map(String::as_str).find(|one| Some(*one) == part),
            part,
            "{sentence}: {missing:?}"
        );
        assert_eq!(missing.is_empty(), part.is_none(), "{sentence}: {missing:?}");
    }
}

#[test]
fn a_comparison_of_two_figures_is_a_rise_or_fall() {
    let evidence = PassageEvidence::from_texts(["Revenue was Rs 450 crore against Rs 500 crore in Q1 FY26."]);
    assert_eq!(evidence.missing("Revenue fell to Rs 450 crore."), [""; 0]);
    assert!(!evidence.missing("Revenue rose to Rs 450 crore.").is_empty());
}

#[test]
fn the_words_of_the_program_are_read() {
    assert!(is_direction("grew") && is_direction("gains") && !is_direction("was"));
}

/// Long paragraphs without an end of a sentence take linear time, and marks alone are read to their end.
#[test]
fn long_and_hostile_texts_are_read_to_their_end() {
    let long = "Retail revenue rose 1.5% in Q1 FY27 against 1.4% a year ago (not up to 2%), and ".repeat(500);
    let evidence = PassageEvidence::from_texts([long.as_str()]);
    assert!(!evidence.missing("Retail revenue fell 1.5% in Q1 FY27.").is_empty());
    for text in [
        "(", ")", "))((", "from", "from to", "no", "not", "against against", "( not ) , or", "up to", "by",
        "May", "of FY27",
    ] {
        PassageEvidence::from_texts([text]).missing(text);
    }
}
