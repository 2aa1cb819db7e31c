//! Sentences against passages. Expected parts were written by hand; mutations change one figure, unit, currency or period of a right
//! sentence, and none may pass.

use super::PassageEvidence;

const RESULTS: &str = "Alfa Limited (NSE: ALFA) reported revenue from operations of Rs. 2,345.6 crore for the quarter ended June 30, 2026 \
    (Q1 FY27), a growth of 15.2% YoY, against Rs 2,036 crore in Q1 FY26. EBITDA margin expanded by 120 basis points to 21.4%.";
const ORDER: &str = "The Company has received an order worth Rs 450 crore from NTPC Limited for a 500 MW solar plant, to be executed \
    within 24 months.";
const RELEASE: &str = "Third quarter net sales were $94.9 billion, up 6 percent from the prior year; diluted earnings per share were \
    $1.64. Services revenue fell 3 percent. The Board declared a dividend of $0.25 per share on August 1, 2026.";
const GUIDANCE: &str = "We expect capital expenditure of INR 1.2 lakh crore over three years, and two new plants in the first half of \
    FY28. \"Rural demand has doubled in nine months,\" said the CEO. Our 10-K has details of 5G trials.";
const ALL: [&str; 4] = [RESULTS, ORDER, RELEASE, GUIDANCE];

fn missing(passage: &str, sentence: &str) -> Vec<String> {
    PassageEvidence::from_texts([passage]).missing(sentence)
}

/// Right sentences, each with its passage.
const RIGHT: [(usize, &str); 22] = [
    (0, "Revenue from operations grew 15.2% YoY to Rs 2,345.6 crore in Q1 FY27."),
    (0, "Revenue was ₹2345.6 crore, against INR 2,036 crore in Q1FY26."),
    (0, "The EBITDA margin expanded 120 bps to 21.4 per cent."),
    (0, "Alfa reported growth of 15.2% for the quarter ended 30 June 2026."),
    (0, "Revenue grew 15.2% year-on-year in the June quarter."),
    (1, "Alfa received an order of Rs 450 crore from NTPC."),
    (1, "The order of Rs 4,500 million from NTPC is executed within 24 months."),
    (1, "An order for a 500 MW solar plant was received."),
    (2, "Net sales were $94.9 billion, up 6% from the prior year."),
    (2, "Diluted earnings per share were USD 1.64 in the third quarter."),
    (2, "Services revenue fell 3 percent."),
    (2, "The Board declared a dividend of $0.25 per share on 1 August 2026."),
    (2, "Net sales were US$94,900 million."),
    (2, "A dividend was declared in August 2026."),
    (3, "Capital expenditure of Rs 1,20,000 crore is expected over three years."),
    (3, "Two new plants are expected in the first half of FY28."),
    (3, "Rural demand has doubled in nine months."),
    (3, "Details of 5G trials are in the 10-K."),
    (3, "Capital expenditure is expected at INR 1.2 trillion."),
    (3, "We expect two new plants."),
    (1, "The company received an order from NTPC Limited."),
    (2, "Services revenue was weaker, as it fell 3 percent."),
];

#[test]
fn a_right_sentence_is_supported() {
    for (at, sentence) in RIGHT {
        // A name of the document supports names alone.
        let evidence = PassageEvidence::from_texts([ALL[at]]).with_names("Alfa Limited, 999 crore");
        assert_eq!(evidence.missing(sentence), [""; 0], "{sentence}");
    }
}

#[test]
fn what_the_passage_does_not_state_is_missing() {
    for (at, sentence, expected) in [
        (0, "Revenue grew 15% YoY.", "15%"),
        (0, "Revenue was about Rs 2,346 crore.", "2,346 crore"),
        (0, "Revenue was Rs 2,345.6 lakh.", "2,345.6 lakh"),
        (0, "Revenue was $2,345.6 crore.", "2,345.6 crore"),
        (0, "Revenue was Rs 2,345.6.", "2,345.6"),
        (0, "Revenue grew 15.2% QoQ.", "qoq"),
        (0, "Revenue fell 15.2% YoY.", "fell"),
        (0, "Revenue grew 15.2% in Q2 FY27.", "Q2 FY27"),
        (0, "Revenue grew 15.2% in Q1 2027.", "Q1 2027"),
        (0, "Revenue grew 15.2% in the year FY27.", "FY27"),
        (0, "Revenue grew 15.2% in the March quarter.", "march"),
        (0, "Revenue grew 15.2% in 2027.", "2027"),
        (0, "The margin expanded by 120 percentage points.", "120 percentage points"),
        (0, "The margin expanded by 1.2 percentage points.", "1.2 percentage points"),
        (0, "The revenue margin of Beta expanded to 21.4%.", "beta"),
        (0, "Revenue rose in the quarter, -15.2% YoY.", "-15.2%"),
        (0, "Revenue growth of ½ in the quarter ended June.", "½"),
        (1, "The order is executed within 24 years.", "24 years"),
        (1, "The order is for a 500 GW solar plant.", "500"),
        (1, "The order of the solar plant is for 500.", "500"),
        (1, "The company received 450 orders.", "450"),
        (1, "The order from ADANI is worth Rs 450 crore.", "adani"),
        (1, "The order is executed within two years.", "two year"),
        (2, "Diluted earnings per share were Rs 1.64.", "1.64"),
        (2, "Diluted earnings were $1.64 million.", "1.64 million"),
        (2, "Earnings per share were $1.64 in the fourth quarter.", "fourth quarter"),
        (2, "A dividend of $0.25 per ton was declared.", "0.25"),
        (2, "The dividend was declared on August 2, 2026.", "August 2, 2026"),
        (2, "The dividend was declared in FY26.", "FY26"),
        (3, "Two new plants are expected in the second half of FY28.", "second half"),
        (3, "Rural demand has tripled in nine months.", "tripled"),
        (3, "Details of 6G trials are in the 10-K.", "6g"),
        (3, "Details of 5G trials are in the 10-Q.", "10-q"),
        (3, "Capital expenditure is expected over ten years.", "ten year"),
        (3, "We do not expect capital expenditure in the first half of FY28.", "is not so"),
        (3, "Rural demand hasn\u{2019}t doubled in nine months.", "is not so"),
        (1, "The order from NTPC has no plant.", "is not so"),
        (0, "Revenue from operations was minus Rs 2,345.6 crore.", "is not so"),
        (0, "EBITDA margin expanded by 21.4%.", "21.4%"),
        (0, "EBITDA margin expanded to 120 basis points.", "120 basis points"),
        (0, "Der Umsatz stieg im Quartal deutlich an.", "hardly a word of it is in the passage"),
        (0, "राजस्व 2,345.6 करोड़ रहा", "2,345.6"),
        (0, "Le chiffre d'affaires a augmenté de 15,2 % sur un an.", "15"),
    ] {
        let missing = missing(ALL[at], sentence);
        assert!(missing.iter().any(|part| part.contains(expected)), "{sentence}: {missing:?}");
    }
}

#[test]
fn negations_and_moves_are_those_of_the_passage() {
    let passage = "Margins did not recover, and the company is debt-free.";
    for sentence in ["Margins didn't recover.", "The company has no debt.", "Margins never did recover."] {
        assert_eq!(missing(passage, sentence), [""; 0], "{sentence}");
    }
    assert_eq!(missing("The company is debt-free.", "The company is without debt."), [""; 0]);
    // A level is no change, and the end of a range is neither.
    let costs = "Costs rose to about Rs. 88 crore. Growth of 12% to 14% is expected.";
    assert_eq!(missing(costs, "Costs rose by Rs 88 crore."), ["88 crore"]);
    for sentence in
        ["Costs rose to nearly Rs 88 crore.", "Costs were Rs 88 crore.", "Growth by 12% to 14% is expected."]
    {
        assert_eq!(missing(costs, sentence), [""; 0], "{sentence}");
    }
    assert_eq!(missing("Margins did recover.", "Margins did not recover."), ["that something is not so"]);
}

/// A generator of mutations.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

/// Words of units, currencies and periods; each group has words that mean different things.
const SWAPS: [&[&str]; 9] = [
    &["crore", "lakh", "million", "billion", "trillion", "thousand"],
    &["%", "percent", "bps", "basis points", "percentage points", "per cent", "times", "x"],
    &["months", "years", "days", "weeks"],
    &["Rs", "₹", "INR", "$", "USD", "US$", "€", "£"],
    &["Q1", "Q2", "Q3", "Q4", "H1", "H2", "9M"],
    &["FY27", "FY26", "FY28", "FY25", "2026", "2027", "CY26"],
    &["June", "March", "September", "December", "August"],
    &["first", "second", "third", "fourth"],
    &["two", "three", "five", "nine", "ten", "doubled", "tripled", "halved"],
];
/// Words of the same meaning.
const SAME: [&[&str]; 4] =
    [&["%", "percent", "per cent"], &["Rs", "₹", "INR"], &["$", "USD", "US$"], &["bps", "basis points"]];

/// Returns a sentence with another word of one group, which the passage does not have.
fn swapped(sentence: &str, passage: &str, dice: &mut Dice) -> Option<String> {
    let group = SWAPS[dice.roll(SWAPS.len())];
    let old = group[dice.roll(group.len())];
    let new = group[dice.roll(group.len())];
    let same = |group: &&&[&str]| group.contains(&old) && group.contains(&new);
    // `$` is a part of `US$`, and `per cent` must not become `Rs cent`.
    let is_word = |at: usize| {
        let before = sentence[..at].chars().next_back().is_none_or(|c| !c.is_alphabetic());
        let after = sentence[at + old.len()..].chars().next();
        before && (!old.ends_with(char::is_alphabetic) || after.is_none_or(|c| !c.is_alphabetic()))
    };
    let at = sentence.find(old).filter(|at| is_word(*at))?;
    let is_stated = passage.split(|c: char| !c.is_alphanumeric()).any(|word| word == new);
    if old == new
        || is_stated
        || SAME.iter().any(|group| same(&group))
        || old == "$" && sentence[..at].ends_with("US")
    {
        return None;
    }
    Some(sentence.replacen(old, new, 1))
}

/// Returns a sentence with one changed, added or removed digit, or a moved point, and the changed number.
fn with_other_digits(sentence: &str, dice: &mut Dice) -> Option<(String, String)> {
    let digits: Vec<usize> =
        sentence.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
    if digits.is_empty() {
        return None;
    }
    let at = digits[dice.roll(digits.len())];
    let digit = char::from(b'0' + dice.roll(10) as u8);
    let mut changed = sentence.to_owned();
    match dice.roll(4) {
        0 => changed.replace_range(at..=at, &digit.to_string()),
        1 => changed.insert(at, digit),
        2 => changed.insert(at + 1, '.'),
        _ => {
            changed.remove(at);
        }
    }
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let start = changed[..at]
        .rfind(|c| !is_number(c))
        .map_or(0, |before| before + changed[before..].chars().next().unwrap().len_utf8());
    let number: String = changed[start..].chars().take_while(|c| is_number(*c)).collect();
    Some((changed, number.trim_end_matches(['.', ',']).to_owned()))
}

/// Returns a number without separators and without zeros that change nothing.
fn plain(number: &str) -> String {
    let number: String = number.chars().filter(|c| *c != ',').collect();
    let number = number.trim_start_matches('0');
    let number =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    if number.starts_with('.') || number.is_empty() { format!("0{number}") } else { number.to_owned() }
}

#[test]
fn no_mutation_of_a_right_sentence_passes_with_a_wrong_figure() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let read = ALL.map(|passage| PassageEvidence::from_texts([passage]).with_names("Alfa Limited"));
    let (mut mutated, mut passed) = (0, Vec::new());
    while mutated < 20_000 {
        let (at, sentence) = RIGHT[dice.roll(RIGHT.len())];
        let evidence = &read[at];
        let wrong = if dice.roll(2) == 0 {
            swapped(sentence, ALL[at], &mut dice)
        } else {
            with_other_digits(sentence, &mut dice).and_then(|(changed, number)| {
                // The change is one of writing, or gives another figure of the same passage or the sentence itself.
                let is_number = |c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','));
                let all = [ALL[at], sentence]
                    .map(|text| text.split(is_number).map(plain).collect::<Vec<_>>())
                    .concat();
                (!number.is_empty() && !all.contains(&plain(&number))).then_some(changed)
            })
        };
        let Some(wrong) = wrong else { continue };
        mutated += 1;
        if evidence.missing(&wrong).is_empty() {
            passed.push(format!("{sentence} -> {wrong}"));
        }
    }
    passed.sort();
    passed.dedup();
    assert!(passed.is_empty(), "{}", passed.join("\n"));
}

#[test]
fn amounts_and_times_are_read_with_their_unit() {
    use super::MoneyUnit::{Dollar, Rupee};
    assert_eq!(PassageEvidence::amount("Rs 1.2 lakh crore"), Some((1.2e12, Some(Rupee))));
    assert_eq!(PassageEvidence::amount("$2.5 billion"), Some((2.5e9, Some(Dollar))));
    assert_eq!(PassageEvidence::amount("450"), Some((450.0, None)));
    for text in ["", "12 %", "24 months", "Rs 4 to 5 crore"] {
        assert_eq!(PassageEvidence::amount(text), None, "{text}");
    }
    assert_eq!(PassageEvidence::months("within 24 months"), Some(24.0));
    assert_eq!(PassageEvidence::months("2 years"), Some(24.0));
    assert_eq!(PassageEvidence::months("24 weeks"), None);
}
