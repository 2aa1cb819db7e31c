//! The page shows an operation's refusal, with its message and its status.

use reqwest::Method;

use super::visit::visit;
use crate::server::SERVER;

#[test]
fn the_page_has_the_status_and_the_words_of_its_operation() {
    for (page, operation) in [
        ("/india/company/BAXIPAPOW", "company/profile?symbol=BAXIPAPOW"),
        ("/us/company/NOSUCHTICKER/ratios", "us/company/profile?symbol=NOSUCHTICKER"),
        ("/india/screener?min_rs=500", "explore/screen-words?min_rs=500"),
        ("/india/screener?min_rso=5", "explore/screen-words?min_rso=5"),
        ("/india/screener?fields=symbol%2Cnothing", "explore/screen-words?fields=symbol,nothing"),
        ("/us/rotation?as_of=1990-01-01", "us/explore/rotation?as_of=1990-01-01"),
        ("/us/movers?limit=9999", "us/market/top-movers?limit=9999"),
    ] {
        let refused = SERVER.get(operation);
        assert!(refused.status >= 400, "{operation}");
        let shown = visit(page);
        assert_eq!(shown.reply.status, refused.status, "{page}");
        assert_eq!(shown.reply.header("etag"), "", "{page}");
        // On a page the message begins with a capital letter.
        let message = refused.message();
        let words: String = message.chars().skip(1).take(30).collect();
        let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        assert!(shown.text.contains(&words), "{page}: {words}");
        shown.one("h1");
    }
}

#[test]
fn a_part_without_rows_of_the_company_names_no_operation() {
    assert!(
        SERVER
            .get("us/company/management-tone?symbol=BAQEBO")
            .message()
            .starts_with("this snapshot has nothing of us/")
    );
    let page = visit("/us/company/BAQEBO/calls");
    assert!(page.text.contains("There is nothing here for BAQEBO. The newest row of"), "{}", page.text);
    assert!(!page.text.contains("nothing of us/"), "{}", page.text);
}

#[test]
fn an_unknown_symbol_leads_to_those_that_are_near() {
    let page = visit("/india/company/BAXIPAPOW");
    let links = page.links();
    assert!(links.iter().any(|link| link == "/india/company/BAXIPAPOWR"), "{links:?}");
    assert!(links.iter().any(|link| link == "/india/search?q=BAXIPAPOW"), "{links:?}");
}

#[test]
fn a_path_where_nothing_lies_is_a_page_too() {
    let page = visit("/india/screner");
    assert_eq!(page.reply.status, 404);
    assert!(page.links().contains(&"/india/screener".to_owned()));
    let page = visit("/us/industries");
    assert_eq!(page.reply.status, 404);
}

#[test]
fn a_browser_gets_a_sentence_on_a_page_from_every_door() {
    const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let send = |path: &str, accept| SERVER.send(&Method::GET, path, &[("accept", accept)], "");
    let long = format!("/india/screener?q={}", "a".repeat(9_000));
    for (path, status) in [
        ("/nothing", 404),
        ("/INDIA/screener", 404),
        ("/india/screener.txt", 404),
        ("/india/company/%FF", 400),
        ("/india/screener?min_roe=x", 400),
        ("/v1/docs/nothing", 404),
        ("/v1/files/nothing", 404),
        (&*long, 414),
    ] {
        let reply = send(path, BROWSER);
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (status, "text/html; charset=utf-8"),
            "{path}"
        );
        let text = String::from_utf8(reply.body).unwrap();
        assert!(text.contains("<h1>") && !text.contains("\"error\""), "{path}: {text}");
    }
    let moved = send("/screener?sector=Power", BROWSER);
    assert_eq!((moved.status, moved.header("location")), (303, "/india/screener?sector=Power"));
    // Programs have the envelope of errors.
    for path in ["/nothing", "/screener", "/v1/docs/nothing"] {
        let reply = send(path, "*/*");
        assert!(reply.status >= 400 && reply.header("content-type") == "application/json", "{path}");
    }
}

#[test]
fn a_query_that_is_no_text_is_said_so() {
    let page = visit("/india/screener?sector=%ff");
    assert_eq!(page.reply.status, 400);
    assert!(page.text.contains("`sector`"));
    let head = SERVER.send(&Method::HEAD, "/india/screener", &[], "");
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn a_word_that_a_choice_does_not_have_is_said_so() {
    for path in
        ["/india/breadth?range=", "/india/company/BAXIPAPOWR?range=", "/us/company/BAQEBO/chart?scale="]
    {
        let said = |word: &str| visit(&format!("{path}{word}")).text.contains("There is no “");
        let known = if path.ends_with("scale=") { "log" } else { "2y" };
        assert_eq!((said("zz"), said(known)), (true, false), "{path}");
    }
}

#[test]
fn names_in_a_field_of_symbols_lead_to_the_page_of_the_symbols() {
    for (asked, location) in [
        ("compare?symbols=haxahi+pharma,+gexalu+bank", "compare?symbols=HAXAHIPHAR%2CGEXALUBANK"),
        (
            "compare?range=3M&symbols=BAXIPAPOWR,Gexalu+Bank+Limited",
            "compare?range=3M&symbols=BAXIPAPOWR%2CGEXALUBANK",
        ),
        ("committee/risk?symbols=gexalu+bank", "committee/risk?symbols=GEXALUBANK"),
        ("compare?symbols=BAXIPAPOWR,+GEXALUBANK,+", "compare?symbols=BAXIPAPOWR%2CGEXALUBANK"),
    ] {
        let reply = SERVER.send(&Method::GET, &format!("/india/{asked}"), &[], "");
        assert_eq!(
            (reply.status, reply.header("location")),
            (303, &*format!("/india/{location}")),
            "{asked}"
        );
    }
    // A name of several companies, and one of none, are refused.
    for name in ["pharma", "xyzzyplugh"] {
        assert_eq!(visit(&format!("/india/compare?symbols={name}")).reply.status, 404, "{name}");
    }
    // Peers of the first stock are offered, with those that are compared already.
    let page = visit("/india/compare?symbols=HAXAHIPHAR%2CGEXALUBANK");
    let start = "/india/compare?symbols=HAXAHIPHAR%2CGEXALUBANK%2C";
    assert!(page.links().iter().any(|link| link.starts_with(start)), "{:?}", page.links());
}
