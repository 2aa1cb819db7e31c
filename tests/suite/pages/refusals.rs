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
fn a_query_that_is_no_text_is_said_so() {
    let page = visit("/india/screener?sector=%ff");
    assert_eq!(page.reply.status, 400);
    assert!(page.text.contains("`sector`"));
    let head = SERVER.send(&Method::HEAD, "/india/screener", &[], "");
    assert_eq!((head.status, head.body.len()), (200, 0));
}
