//! Figures against the measures that sentences give them. Which figure is of which measure was written by hand.

use super::PassageEvidence;

fn missing(passage: &str, sentence: &str) -> Vec<String> {
    PassageEvidence::from_texts([passage]).missing(sentence)
}

/// Passages, each with all its pairs of a figure and the measure that it has.
const STATED: [(&str, &[(&str, &str)]); 9] = [
    (
        "Revenue from operations was Rs. 2,345.6 crore in Q1 FY27, a growth of 15.2% YoY. EBITDA margin expanded by 120 bps to 21.4%. \
         Profit after tax (PAT) stood at Rs 250 crore, up 8%.",
        &[
            ("revenue", "Rs 2,345.6 crore"),
            ("revenue", "15.2%"),
            ("EBITDA margin", "21.4%"),
            ("net profit", "Rs 250 crore"),
            ("net profit", "8%"),
        ],
    ),
    (
        "We delivered a 15% increase in revenue and a 12% increase in net profit.",
        &[("revenue", "15%"), ("net profit", "12%")],
    ),
    (
        "Revenue, EBITDA and PAT grew 15%, 18% and 20% respectively.",
        &[("revenue", "15%"), ("EBITDA", "18%"), ("net profit", "20%")],
    ),
    (
        "Revenue and net profit were Rs 450 crore and Rs 45 crore, up 15% and 12%.",
        &[
            ("revenue", "Rs 450 crore"),
            ("net profit", "Rs 45 crore"),
            ("revenue", "15%"),
            ("net profit", "12%"),
        ],
    ),
    (
        "EBITDA stood at Rs 500 crore with a margin of 21.4%; order book is Rs 12,000 crore. It grew 9% in the quarter, and order inflow \
         was Rs 3,000 crore.",
        &[
            ("EBITDA", "Rs 500 crore"),
            ("EBITDA margin", "21.4%"),
            ("order book", "Rs 12,000 crore"),
            ("order book", "9%"),
            ("order inflow", "Rs 3,000 crore"),
        ],
    ),
    (
        "Net sales were $94.9 billion, up 6 percent from the prior year; diluted earnings per share were $1.64. Capital expenditures were \
         $2.5 billion and free cash flow $21 billion. Finance costs were 4% of revenue.",
        &[
            ("revenue", "$94.9 billion"),
            ("revenue", "6 percent"),
            ("earnings per share", "$1.64"),
            ("capital expenditure", "$2.5 billion"),
            ("free cash flow", "$21 billion"),
            ("finance cost", "4%"),
        ],
    ),
    (
        "Net interest income grew 10% YoY to Rs 3,200 crore. NIM was 3.4%, gross NPA 1.8% and net NPA 0.5%. CASA ratio stood at 42%.",
        &[
            ("net interest income", "10%"),
            ("net interest income", "Rs 3,200 crore"),
            ("net interest margin", "3.4%"),
            ("gross NPA", "1.8%"),
            ("net NPA", "0.5%"),
            ("CASA", "42%"),
        ],
    ),
    (
        "GNPA and NNPA ratios improved to 1.8% and 0.5%. Deposits of Rs 90,000 crore and advances of Rs 70,000 crore grew.",
        &[
            ("gross NPA", "1.8%"),
            ("net NPA", "0.5%"),
            ("deposits", "Rs 90,000 crore"),
            ("advances", "Rs 70,000 crore"),
        ],
    ),
    (
        "We spent Rs 500 crore on capex and repaid debt of Rs 200 crore. A dividend of Rs 4 per share was declared.",
        &[("capital expenditure", "Rs 500 crore"), ("debt", "Rs 200 crore"), ("dividend", "Rs 4")],
    ),
];

#[test]
fn a_figure_passes_with_its_own_measure_and_with_no_other_one_of_the_passage() {
    for (passage, stated) in STATED {
        let evidence = PassageEvidence::from_texts([passage]);
        for (measure, _) in stated {
            for (owner, figure) in stated {
                // The same figure may be stated of both.
                let is_own = stated.contains(&(*measure, *figure));
                let wrong = format!("{figure} as {measure}");
                let wrong = wrong.trim_start_matches(['R', 's', '$', ' ']);
                let is_struck = evidence
                    .missing(&format!("The {measure} was {figure}."))
                    .iter()
                    .any(|part| part == wrong);
                assert_eq!(is_struck, !is_own, "{figure} of {owner} as {measure}: {passage}");
            }
        }
    }
}

#[test]
fn a_measure_that_the_passage_does_not_state_is_struck() {
    let passage =
        "Revenue was Rs 450 crore, up 12%. Net profit was Rs 45 crore. Adjusted EBITDA margin was 18%.";
    for (sentence, part) in [
        ("Profit was Rs 450 crore.", Some("450 crore as profit")),
        ("EBITDA was Rs 450 crore.", Some("450 crore as EBITDA")),
        ("The order book rose 12%.", Some("12% as order book")),
        ("A 12% rise in net profit was reported.", Some("12% as net profit")),
        ("Net profit was Rs 450 crore and revenue was Rs 45 crore.", Some("45 crore as revenue")),
        ("Operating profit was Rs 45 crore.", Some("45 crore as operating profit")),
        ("Net profit and revenue were up 12%.", Some("12% as net profit")),
        ("The gross margin was 18%.", Some("18% as gross profit margin")),
        // A more general name, another phrase of the same measure, and no measure at all.
        ("Profit was Rs 45 crore.", None),
        ("Net income was Rs 45 crore.", None),
        ("Net sales were up 12% to Rs 450 crore.", None),
        ("The margin was 18%.", None),
        ("It was up 12%.", None),
    ] {
        let missing = missing(passage, sentence);
        let of_measure: Vec<&str> =
            missing.iter().map(String::as_str).filter(|one| one.contains(" as ")).collect();
        match part {
            Some(part) => assert!(of_measure.contains(&part), "{sentence}: {missing:?}"),
            None => assert!(of_measure.is_empty(), "{sentence}: {missing:?}"),
        }
    }
}

#[test]
fn a_figure_without_a_measure_needs_the_measure_elsewhere() {
    // A heading and a row of figures below it are two paragraphs.
    let evidence =
        PassageEvidence::from_texts(["Revenue (Rs crore)", "Rs 450.5 crore in the quarter, up 12%"]);
    assert_eq!(evidence.missing("Revenue was Rs 450.5 crore."), [""; 0]);
    assert_eq!(evidence.missing("Net debt was Rs 450.5 crore."), ["450.5 crore as net debt"]);
}

#[test]
fn a_level_is_no_change_and_no_figure_of_another_period() {
    let evidence = PassageEvidence::from_texts([
        "Advances grew 12% to Rs 70,000 crore from Rs 62,500 crore. Deposits increased by Rs 5,000 crore. Gross NPA was 1.8% against 2.1%.",
        "Production was 2.1 million tonnes and sales volume was 1.2 million tonnes.",
    ]);
    for (text, measure, is_level) in [
        ("Rs 70,000 crore", "advances", true),
        ("Rs 62,500 crore", "advances", false),
        ("Rs 70,000 crore", "deposits", false),
        ("Rs 5,000 crore", "deposits", false),
        ("1.8%", "gross NPA", true),
        ("2.1%", "gross NPA", false),
        ("1.8%", "net NPA", false),
        ("1.9%", "gross NPA", false),
        ("12%", "advances", false),
        ("1.2 million tonnes", "volume", true),
        ("2.1 million tonnes", "volume", false),
        ("2.1 million tonnes", "production", true),
    ] {
        assert_eq!(evidence.has_level(text, measure), is_level, "{text} as {measure}");
    }
    assert!(PassageEvidence::has_measure("gross NPA") && !PassageEvidence::has_measure("gross"));
}

/// A long paragraph of figures takes linear time, and marks alone are read to their end.
#[test]
fn long_and_hostile_texts_are_read_to_their_end() {
    let long = format!("Revenue {}", "1.5% and margin, ".repeat(5_000));
    assert!(missing(&long, "Net debt was 1.5%.").contains(&"1.5% as net debt".to_owned()));
    for text in [
        "",
        ".",
        "margin",
        "margin 1%",
        "revenue and and, & profit",
        "% % of",
        "Rs. . . ! ?",
        "é 1.5% é margin",
    ] {
        PassageEvidence::from_texts([text]).missing(text);
    }
}
