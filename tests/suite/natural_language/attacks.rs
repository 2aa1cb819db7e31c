//! Invalid sentences: injections, noise, other scripts, extremes. Nothing panics, and only known names and finite
//! numbers reach a filter.

use std::time::Instant;

use parquote::language::{Filter, Grammar, QueryError, Test, check};
use parquote::operation::Market;

use crate::grammar::grammar;

/// Checks the rules that every screen must fulfil.
fn is_sound(grammar: &Grammar, sentence: &str) {
    let Ok(screen) = grammar.read(sentence) else { return };
    check(&screen.filter, grammar.fields()).unwrap();
    let written = serde_json::to_string(&screen.filter).unwrap();
    assert_eq!(serde_json::from_str::<Filter>(&written).unwrap(), screen.filter, "{sentence}");
    assert!(screen.limit.is_none_or(|limit| (1..=50).contains(&limit)), "{sentence}");
    assert!(screen.sort.is_none_or(|sort| grammar.fields().find(&sort.field).is_some()), "{sentence}");
    for unread in screen.not_understood {
        let length = unread.words.chars().count();
        assert_eq!(
            sentence.chars().skip(unread.at).take(length).collect::<String>(),
            unread.words,
            "{sentence}"
        );
    }
}

#[test]
fn injected_sql_is_not_understood() {
    let grammar = grammar(Market::India);
    let screen = grammar.read("banks'; DROP TABLE screen; -- with ROE above 15").unwrap();
    let written = serde_json::to_string(&screen.filter).unwrap();
    assert_eq!(
        written,
        r#"{"all":[{"field":"industry","in":["Banks"]},{"field":"roe","op":">","value":15}]}"#
    );
    assert_eq!(screen.not_understood[0].words, "DROP TABLE");
    for sentence in [
        "' OR 1=1 --",
        "1; SELECT * FROM keys",
        "UNION SELECT NULL, NULL",
        "${jndi:ldap://x}",
        "%s%s%n",
        "\\x00\0\u{1}",
    ] {
        match grammar.read(sentence) {
            Err(QueryError::NothingUnderstood(..)) => {}
            other => panic!("{sentence}: {other:?}"),
        }
    }
}

#[test]
fn extremes_are_refused_or_read_within_bounds() {
    let grammar = grammar(Market::Us);
    assert!(matches!(grammar.read(" \n\t "), Err(QueryError::Empty(Market::Us))));
    assert!(matches!(grammar.read(&"é".repeat(201)), Err(QueryError::TooLong { characters: 201, .. })));
    assert!(matches!(grammar.read(&"é".repeat(200)), Err(QueryError::NothingUnderstood(..))));
    let error = grammar.read("🚀🚀 to the moon").unwrap_err().to_string();
    assert!(error.contains("large cap tech with P/E under 30") && error.contains("top 10 by ROE"), "{error}");
    let huge = grammar.read("PE below 99999999999999999999999999999999999, ROE > 5").unwrap();
    assert_eq!(huge.filter, Filter::Number { field: "roe".to_owned(), test: Test::Above(5.0) });
    for sentence in [
        "not not not not not PE below 10",
        "(((((((((PE<10)))))))))",
        "or or or and not or",
        "between and between 5 to",
        "PE PE PE PE PE 5 5 5 5 < > < > = =",
        "top top top top 999999 first first",
        "ＰＥ ＜ １０ ｂａｎｋｓ",
        "बैंक जिनका PE 15 से कम",
        "P/E<\u{202e}10\u{200b}, ROE>\u{a0}15",
        "-----------5%",
        ".5.5.5.5,5,5,55,555",
        "₹₹₹₹ $$$$ 5 cr cr cr crore lakh crore lakh crore lakh crore lakh crore lakh",
    ] {
        is_sound(&grammar, sentence);
    }
}

#[test]
fn double_negation_is_none() {
    let grammar = grammar(Market::Us);
    let plain = grammar.read("PE below 10").unwrap().filter;
    assert_eq!(grammar.read("not not PE below 10").unwrap().filter, plain);
    assert_eq!(
        grammar.read("not PE below 10").unwrap().filter,
        Filter::Number { field: "pe".to_owned(), test: Test::AtLeast(10.0) }
    );
}

#[test]
fn what_the_snapshot_lacks_is_said() {
    let fields = crate::grammar::fields_of(Market::India, &["sector", "industry", "pe", "roe"]);
    let grammar = Grammar::new(fields);
    let screen =
        grammar.read("PE below 20 and no pledge, promoter holding above 50, above the 200 DMA").unwrap();
    assert_eq!(screen.filter, Filter::Number { field: "pe".to_owned(), test: Test::Below(20.0) });
    let unread: Vec<&str> = screen.not_understood.iter().map(|unread| unread.words.as_str()).collect();
    assert_eq!(unread, ["no pledge", "promoter holding above 50", "above the 200 DMA"]);
    assert!(screen.notes.iter().any(|note| note == "promoter holding is known of no stock in this data"));
}

#[test]
fn amounts_in_the_other_currency_are_not_converted() {
    let screen = grammar(Market::India).read("market cap above $5 billion, PE below 20").unwrap();
    assert_eq!(screen.not_understood[0].words, "market cap above $5 billion");
    assert!(screen.notes[0].contains("is in rupees"));
    let screen = grammar(Market::Us).read("market cap above 500 crore, PE below 20").unwrap();
    assert_eq!(screen.not_understood[0].words, "market cap above 500 crore");
}

#[test]
fn thresholds_are_told() {
    let screen = grammar(Market::India).read("midcap banks with low debt, 20% ROE").unwrap();
    assert_eq!(
        screen.notes,
        [
            "`midcap` was taken as market capitalisation between 33,000 crore and 1,00,000 crore",
            "`low debt` was taken as debt to equity at most 0.5",
            "`20% ROE` was taken as return on equity at least 20 %",
        ]
    );
}

/// A generator of pseudo-random numbers with Knuth's MMIX constants.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// Parts of sentences, separated by spaces; `_` is a space within a part.
const WORDS: &str = r#"
    PE ROE roce D/E market_cap rs Rs price 52_week_high 200_DMA 50_day golden_cross stage above
    below at_least <= > = != between and or not without no , ; - to from within around ~ 10 20% 5x
    $3 ₹7 1,00,000 2.5 crore bn lakh % or_more or_less + banks IT pharma tech energy midcap
    small_cap cheap debt_free high low good poor zero double_digit sort_by by top lowest strongest
    cheapest first desc ascending show_me stocks up down today this_week xyzzy honest é 🚀 ' " ( )
    quaterly pharmacueticals volume pledge dividend_yield RSI twelve mid large cap S&P 500 -5
    minimum
"#;

/// Returns the number of sentences to try: few in a plain run, or `PARQUOTE_FUZZ_CASES`.
fn sentences() -> usize {
    std::env::var("PARQUOTE_FUZZ_CASES").map_or(20_000, |text| text.parse().unwrap())
}

#[test]
fn random_sentences_never_panic() {
    let grammars = Market::ALL.map(grammar);
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut random = Random(20_240_229);
    let begun = Instant::now();
    for round in 0..sentences() {
        let mut sentence = String::new();
        for _ in 0..=random.below(18) {
            let word = &words[random.below(words.len())].replace('_', " ");
            if sentence.chars().count() + word.chars().count() > 198 {
                break;
            }
            sentence.push_str(word);
            if random.below(8) > 0 {
                sentence.push(' ');
            }
        }
        is_sound(&grammars[round % 2], &sentence);
    }
    println!("{} sentences in {:?}", sentences(), begun.elapsed());
}

#[test]
fn random_characters_never_panic() {
    let grammar = grammar(Market::India);
    let mut random = Random(7);
    for _ in 0..20_000 {
        let length = random.below(200);
        let sentence: String = (0..length)
            .map(|_| match random.below(4) {
                0 => char::from(b' ' + random.below(95) as u8),
                1 => char::from(b'0' + random.below(10) as u8),
                2 => char::from_u32(random.below(0x3000) as u32).unwrap_or(' '),
                _ => ['-', '%', '$', '.', ',', '&', '/', 's', '\'', '>', '='][random.below(11)],
            })
            .collect();
        is_sound(&grammar, &sentence);
    }
}
