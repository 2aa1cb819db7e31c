//! Words that a user adds with `--queries DIR`, and mistakes in their files.

use parquote::language::{Grammar, Vocabulary};
use parquote::operation::{Catalogue, Market};
use serde_json::{Value as Json, json};

use crate::demo_market::LITTLE;
use crate::grammar::fields_with;
use crate::program::run;

/// A file of an overlay.
const OWN: &str = r#"# Our own words.
[[adjective]]
phrases = ["cash cow", "(real|true) money machine"]
means = [
    { field = "operating_cash_yield", op = ">=", value = 9 },
    { all = [{ field = "fcf_yield", op = ">=", value = 8 }, { field = "de", op = "<=", value = 0.5 }] },
]

[[adjective]]
market = "us"
phrases = ["bargain"]
means = [{ field = "pe", op = "between", from = 1, to = 8 }]

[number.operating_cash_yield]
label = "operating cash flow yield"
unit = "percent"
bounds = [2, 9]
phrases = ["operating cash yield"]

[words]
filler = ["kindly"]
"#;

/// Names for one market.
const PLACES: &str = r#"market = "india"
superlatives = [{ phrases = ["thriftiest"], end = "smallest", by = ["de"] }]

[industries]
"Banks" = ["money lender"]
"*Cement*" = ["house builder"]
"Construction" = ["house builder"]
"#;

fn vocabulary(files: &[(&str, &str)]) -> Result<Vocabulary, String> {
    let files: Vec<_> = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let catalogue = Catalogue::with_overlay(&files).map_err(|error| error.to_string())?;
    Vocabulary::from_catalogue(&catalogue).map_err(|error| error.to_string())
}

fn grammar(market: Market, columns: &[&str]) -> Grammar {
    let own = vocabulary(&[("language/own.toml", OWN), ("language/own_places.toml", PLACES)]).unwrap();
    Grammar::new(fields_with(own, market, columns))
}

#[test]
fn words_of_an_overlay_are_understood() {
    let columns = ["sector", "industry", "pe", "fcf_yield", "de", "roe"];
    let grammar_of = |market| grammar(market, &columns);
    let cows =
        json!({"all":[{"field":"fcf_yield","op":">=","value":8},{"field":"de","op":"<=","value":0.5}]});
    let cheap = json!({"field":"pe","op":"<=","value":15});
    for (market, sentence, criteria, sort) in [
        (Market::India, "kindly show cash cows", cows.clone(), Json::Null),
        (Market::Us, "true money machines", cows.clone(), Json::Null),
        (Market::India, "cheap cash cows", json!({"all":[cheap, cows]}), Json::Null),
        (Market::Us, "bargains", json!({"field":"pe","op":"between","from":1,"to":8}), Json::Null),
        (Market::India, "money lenders", json!({"field":"industry","in":["Banks"]}), Json::Null),
        (
            Market::India,
            "house builders, thriftiest first",
            json!({"field":"industry","in":["Cement & Cement Products","Construction"]}),
            json!({"field":"de","direction":"asc"}),
        ),
    ] {
        let screen = grammar_of(market).read(sentence).unwrap();
        assert!(screen.not_understood.is_empty(), "{sentence}: {screen:?}");
        assert_eq!(json!(screen.filter), criteria, "{sentence}");
        assert_eq!(json!(screen.sort), sort, "{sentence}");
    }
    let other = grammar_of(Market::India).read("bargains with ROE above 5").unwrap();
    assert_eq!(other.not_understood[0].words, "bargains", "a word of the US means nothing in India");
    // If the screen has an adjective's first figure, it is used.
    let own_figure = ["pe", "fcf_yield", "de", "operating_cash_yield"];
    let screen = grammar(Market::Us, &own_figure).read("cash cows").unwrap();
    assert_eq!(json!(screen.filter), json!({"field":"operating_cash_yield","op":">=","value":9}));
}

/// The replaced text, its replacement, the line in the message, and words of it.
const MISTAKES: [(&str, &str, usize, &[&str]); 16] = [
    ("phrases = [\"bargain\"]", "phrase = [\"bargain\"]", 11, &["`phrase`", "did you mean `phrases`?"]),
    ("[[adjective]]\nmarket", "[[adjectives]]\nmarket", 9, &["`adjectives`", "did you mean `adjective`?"]),
    ("market = \"us\"", "market = \"uk\"", 10, &["`uk`", "expected `india` or `us`"]),
    ("op = \">=\", value = 9", "op = \"=>\", value = 9", 5, &["is not a condition; write"]),
    ("field = \"fcf_yield\"", "field = \"fcf_yeild\"", 6, &["`fcf_yeild`", "did you mean `fcf_yield`?"]),
    (
        "field = \"pe\", op = \"between\", from = 1, to = 8",
        "field = \"pe\", is = true",
        12,
        &["`pe` is a number", "flag"],
    ),
    ("{ field = \"pe\", op = \"between\", from = 1, to = 8 }", "{ any = [] }", 12, &["names no figure"]),
    (
        "means = [{ field = \"pe\", op = \"between\", from = 1, to = 8 }]",
        "means = []",
        12,
        &["`means`", "at least one"],
    ),
    (
        "\"bargain\"",
        "\"cheap\"",
        11,
        &["`cheap` has a meaning in language/adjectives.toml:", "a phrase has one"],
    ),
    ("\"bargain\"", "\"cash cow\"", 11, &["`cash cow` has a meaning in language/own.toml:3"]),
    ("\"bargain\"", "\"(big|small bargain\"", 11, &["choices as in"]),
    ("\"bargain\"", "\"!\"", 11, &["a phrase is of words"]),
    ("[number.operating_cash_yield]", "[number.pe]", 14, &["`pe` is declared already"]),
    ("unit = \"percent\"", "unit = \"precent\"", 16, &["`precent`", "did you mean `percent`?"]),
    ("bounds = [2, 9]", "bounds = [9, 2]", 14, &["the smaller one first"]),
    ("filler = ", "fillers = ", 21, &["`fillers`", "did you mean `filler`?"]),
];

#[test]
fn a_mistake_in_a_file_of_words_is_named_at_its_line() {
    let mut wrong = Vec::new();
    for (from, to, line, said) in MISTAKES {
        assert!(OWN.contains(from), "{from}");
        let text = OWN.replace(from, to);
        let error = match vocabulary(&[("language/own.toml", &text)]) {
            Ok(_) => "nothing".to_owned(),
            Err(error) => error,
        };
        let place = format!("language/own.toml:{line}: ");
        if !error.starts_with(&place) || said.iter().any(|word| !error.contains(word)) {
            wrong.push(format!("{to}: {place}{said:?} where it says\n    {error}"));
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_mistake_in_a_file_of_words_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("language")).unwrap();
    std::fs::write(
        folder.path().join("language/own.toml"),
        OWN.replace("phrases = [\"barg", "phrase = [\"barg"),
    )
    .unwrap();
    let (data, queries) = (LITTLE.data.to_str().unwrap(), folder.path().to_str().unwrap());
    let (code, _, errors) = run(&["serve", "--data", data, "--queries", queries]);
    assert!(code.is_some_and(|code| code != 0), "{errors}");
    assert!(errors.contains("language/own.toml:11: unknown field `phrase`"), "{errors}");
}
