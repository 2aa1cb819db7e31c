//! Calls whose answer could silently be that of another question: stocks of two markets, several pictures, sections side by side, dropped words.

use parquote::operation::Market;
use serde_json::{Value as Json, json};

use super::chat::{CHAT, answer, refusal};
use super::chat_words::column;
use super::client::{EARLIER, result, text};
use crate::demo_market::SNAPSHOTS;
use crate::selected::first_column;

#[test]
fn a_stock_whose_market_has_no_such_figures_is_named() {
    let symbols = json!(["BAQEBO", "GEQILALEAR"]);
    for (tool, name, value, said) in [
        ("history", "figures", json!(["shareholding"]), "us has no `shareholding`"),
        ("companies", "sections", json!(["banking"]), "us has no `banking`"),
        ("holders", "by", json!("fii_change"), "holders has no such answer of us"),
    ] {
        let arguments = json!({"symbols": symbols, name: value});
        let lacking = answer(tool, &arguments)["not_answered"]["BAQEBO"].to_string();
        assert!(lacking.contains(said), "{arguments}: {lacking}");
        let files = answer("export", &json!({"tool": tool, "arguments": arguments.to_string()}));
        assert!(files["not_answered"]["BAQEBO"].to_string().contains(said), "{files}");
    }
}

#[test]
fn stocks_of_two_markets_are_no_portfolio_and_two_pictures_no_answer() {
    let refused = refusal("portfolio", &json!({"symbols": ["BAQEBO", "DEXENIELEC"]}));
    assert!(refused.contains("once for DEXENIELEC (india), and once for BAQEBO (us)"), "{refused}");
    for (kind, symbols, said) in [
        ("compare", ["BAQEBO", "DEXENIELEC"], "compare (india), compare (us)"),
        ("stock", ["BAQEBO", "GEQOLI"], "stock BAQEBO (us), stock GEQOLI (us)"),
    ] {
        let refused = refusal("chart", &json!({"kind": kind, "symbols": symbols}));
        assert!(refused.contains(said), "{refused}");
    }
}

#[test]
fn a_refusal_names_the_argument_that_the_market_does_not_have() {
    for (arguments, said) in [
        (json!({"symbols": ["DEXENIELEC"], "changes": ["sold"]}), "`changes`: holders knows it in us alone"),
        (json!({"symbols": ["BAQEBO"], "by": "fii_change"}), "`by`: holders knows it in india alone"),
    ] {
        let refused = refusal("holders", &arguments);
        assert!(refused.contains(said), "{refused}");
    }
    assert!(refusal("query", &json!({"sql": ""})).ends_with("`sql` is required"));
}

#[test]
fn each_section_is_answered_or_refused() {
    let sql = "SELECT DISTINCT symbol FROM banking_kpis ORDER BY symbol LIMIT 1";
    let bank = first_column(&SNAPSHOTS.current(), Market::India, sql);
    let both = answer("companies", &json!({"symbols": bank, "sections": ["valuation", "banking"]}));
    assert_eq!(column(&both, "companies", "symbol"), bank);
    let banking = format!("banking {}", bank[0].as_str().unwrap());
    assert!(both[&banking]["rows"].is_array() && both["companies"].to_string().contains("\"pe\""), "{both}");
    let alone = answer("companies", &json!({"symbols": bank, "sections": ["banking"]}));
    assert!(alone[&banking]["rows"].is_array() && alone["companies"].is_null(), "{alone}");
    let refused = refusal("companies", &json!({"symbols": ["BAQEBO"], "sections": ["ownership"]}));
    assert!(refused.contains("us has no `ownership`"), "{refused}");
}

#[test]
fn tickers_in_a_sentence_are_found() {
    let meant = |q: &str| column(&answer("find", &json!({"q": q})), "meant", "symbol");
    assert_eq!(meant("compare BAQEBO and DEXENIELEC"), ["BAQEBO", "DEXENIELEC"]);
    assert_eq!(meant("what is dexenielec trading at?"), ["DEXENIELEC"]);
}

#[test]
fn a_sentence_is_quoted_only_if_it_has_every_word() {
    let search = |q: &str| answer("search_texts", &json!({"q": q}));
    let quotes = column(&search("capacity"), "quotes", "quote");
    // A phrase is found by its own words alone.
    let quote = quotes.iter().filter_map(Json::as_str).find(|quote| !quote.contains("mentions")).unwrap();
    let words = quote.split(' ').take(5).collect::<Vec<_>>().join(" ");
    assert!(search(&words)["quotes"]["rows"].is_array(), "{words}");
    let none = search(&format!("{words} zzzz"));
    assert!(none["quotes"].is_null() && none["nothing"]["quotes"].is_string(), "{none}");
}

/// The results of some companies are of the quarter before.
#[test]
fn a_score_of_results_is_shown_with_its_quarter() {
    let snapshot = SNAPSHOTS.current();
    let shown = answer("screen", &json!({"query": "ECS above 60", "limit": 5}));
    let symbols = column(&shown, "stocks", "symbol");
    assert!(!symbols.is_empty(), "{shown}");
    for (at, symbol) in symbols.iter().enumerate() {
        let quarter = match &shown["stocks"]["in_all_rows"]["quarter"] {
            Json::Null => column(&shown, "stocks", "quarter")[at].clone(),
            of_all => of_all.clone(),
        };
        let sql = format!(
            "SELECT quarter FROM earnings WHERE is_latest AND symbol = '{}'",
            symbol.as_str().unwrap()
        );
        assert_eq!(quarter, first_column(&snapshot, Market::India, &sql)[0], "{symbol}: {shown}");
    }
    let other = answer("screen", &json!({"query": "ROE above 5", "limit": 2}));
    assert!(!other["stocks"].to_string().contains("\"quarter\""), "{other}");
}

/// Chats do not draw markup: a build without raster pictures gives the figures, and says what it lacks.
#[test]
fn a_chart_is_a_picture_with_figures_or_figures_and_a_reason() {
    let arguments = json!({"kind": "stock", "symbols": ["BAQEBO"]});
    let drawn = result(EARLIER, CHAT, "tools/call", json!({"name": "chart", "arguments": arguments}));
    let said = text(&drawn);
    assert!(said.starts_with("# ") && said.contains("| Session |"), "{said}");
    assert_eq!(drawn["content"][1]["mimeType"] == "image/png", cfg!(feature = "png"), "{said}");
    assert_eq!(said.contains("needs the feature `png`"), !cfg!(feature = "png"), "{said}");
    assert!(!drawn.to_string().contains("<svg"), "{said}");
}
