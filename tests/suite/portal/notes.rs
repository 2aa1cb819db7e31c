//! Notes on stocks: over REST, on the page of a company and as marks in lists; separate for each owner, escaped, bounded, and taken back.

use serde_json::{Value as Json, json};

use super::kept::{data, of_two, refusal};

const PAGE: &str = "/india/company/BAXIPAPOWR";
const FORM: &str = "/india/lists?operation=notes%2Fset&back=%2Findia%2Fcompany%2FBAXIPAPOWR";

#[test]
fn a_note_is_of_its_owner_and_of_a_stock() {
    let (fixture, anu, ben) = of_two();
    let call = |path: &str| fixture.call(anu.reveal(), path);
    let notes = |path: &str| data(&call(path))["notes"].as_array().cloned().unwrap();
    assert!(notes("notes/list").is_empty());
    let saved = data(&call("notes/set?symbol=baxipapowr&text=%20Waits%0D%0Afor%20orders%20"));
    // Five letters, a line break and ten more.
    assert_eq!(saved, json!({"symbol": "BAXIPAPOWR", "market": "india", "characters": 16}));
    data(&call("notes/set?symbol=BAQEBO&text=Split&market=us"));
    let of_india = notes("notes/list");
    assert_eq!(of_india.len(), 1);
    assert_eq!(
        (&of_india[0]["symbol"], &of_india[0]["text"]),
        (&json!("BAXIPAPOWR"), &json!("Waits\nfor orders"))
    );
    assert_eq!(notes("notes/list?market=us")[0]["text"], "Split");
    assert_eq!(data(&fixture.call(ben.reveal(), "notes/list"))["count"], 0);
    // A second text replaces the first; none removes it, and so does none again.
    data(&call("notes/set?symbol=BAXIPAPOWR&text=Sold"));
    assert_eq!(notes("notes/list")[0]["text"], "Sold");
    for _ in 0..2 {
        assert_eq!(data(&call("notes/set?symbol=BAXIPAPOWR"))["characters"], Json::Null);
        assert!(notes("notes/list").is_empty());
    }
}

#[test]
fn a_note_that_is_too_long_or_on_no_stock_is_refused() {
    let (fixture, anu, _) = of_two();
    let call = |query: &str| fixture.call(anu.reveal(), &format!("notes/set?{query}"));
    let text = |length: usize| format!("symbol=BAXIPAPOWR&text={}", "a".repeat(length));
    assert_eq!(data(&call(&text(2_000)))["characters"], 2_000);
    assert!(refusal(&call(&text(2_001)), 400).contains("`text`"));
    assert!(refusal(&call("symbol=BAQEBO&text=x"), 404).contains("not a symbol of this market"));
    assert!(refusal(&call("text=x"), 400).contains("`symbol` is required"));
}

#[test]
fn the_page_of_a_company_shows_writes_and_restores_the_note_of_its_reader_alone() {
    let (fixture, anu, ben) = of_two();
    let (mut browser, mut other) = (fixture.signed_in(&anu), fixture.signed_in(&ben));
    assert!(browser.get(PAGE).body.contains("Write a note"));
    let note = "<script>alert(1)</script>\r\nBuy \"above\" 800";
    let shown = "&lt;script&gt;alert(1)&lt;/script&gt;\nBuy &quot;above&quot; 800";
    let reply = browser.post(FORM, &[("symbol", "BAXIPAPOWR"), ("text", note)]);
    assert_eq!((reply.status, reply.header("location")), (303, PAGE));
    let page = browser.get(PAGE).body;
    assert!(
        page.contains("Change the note") && page.contains(shown) && !page.contains("<script>alert"),
        "{page}"
    );
    assert!(
        page.contains("The note on BAXIPAPOWR is saved: 41 characters.") && page.contains("Undo"),
        "{page}"
    );
    assert!(browser.get("/india/lists").body.contains("&lt;script&gt;"));
    // A list marks the stock; the pages of another owner do not have it.
    for path in ["/india/leaders", "/india/screener"] {
        assert!(browser.get(path).body.contains("with a note"), "{path}");
    }
    for path in ["/india/leaders", "/india/lists", PAGE] {
        let body = other.get(path).body;
        assert!(!body.contains("with a note") && !body.contains("alert(1)"), "{path}");
    }
    // An empty text deletes it; what was there can be restored.
    browser.post(FORM, &[("symbol", "BAXIPAPOWR"), ("text", "")]);
    let page = browser.get(PAGE).body;
    assert!(page.contains("There is no note on BAXIPAPOWR now.") && page.contains("Write a note"), "{page}");
    assert!(page.contains("name=\"text\" value=\"&lt;script&gt;"), "{page}");
    // A form of another site changes nothing.
    let cookie = browser.cookie.clone().unwrap();
    let foreign = [("cookie", cookie.as_str()), ("sec-fetch-site", "cross-site")];
    let forged = [("symbol", "BAXIPAPOWR"), ("text", "x")];
    assert_eq!(fixture.send(reqwest::Method::POST, FORM, &foreign, &forged).status, 403);
    assert_eq!(data(&fixture.call(anu.reveal(), "notes/list"))["count"], 0);
}
