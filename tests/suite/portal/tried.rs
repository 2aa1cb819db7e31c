//! Counts of the different back-tests that an owner ran: over REST and on the page, separate for each owner.

use super::kept::{data, of_two};

#[test]
fn each_different_back_test_of_an_owner_counts_once() {
    let (fixture, anu, ben) = of_two();
    let variants = |key: &str| data(&fixture.call(key, "backtest/tried"))["variants"].as_u64().unwrap();
    assert_eq!(variants(anu.reveal()), 0);
    let weekly = "every=weekly&detail=summary";
    for (query, count) in [
        (weekly, 1),
        // The same picks and rules, with other figures shown.
        ("every=weekly&random=3&detail=full", 1),
        ("every=weekly&detail=summary&stop=10", 2),
    ] {
        data(&fixture.call(anu.reveal(), &format!("backtest?{query}")));
        assert_eq!(variants(anu.reveal()), count, "{query}");
    }
    // A refused call tests nothing, and an owner does not count for another, or one market for the other.
    assert_eq!(fixture.call(anu.reveal(), "backtest?weight=given").status, 400);
    data(&fixture.call(ben.reveal(), &format!("us/backtest?{weekly}")));
    assert_eq!((variants(anu.reveal()), variants(ben.reveal())), (2, 0));
    assert_eq!(data(&fixture.call(ben.reveal(), "backtest/tried?market=us"))["variants"], 1);
    let mut browser = fixture.signed_in(&anu);
    // The form of the page sends its empty fields too.
    let sent = browser.get("/india/backtest?every=weekly&stop=20&screen=&sql=&symbols=&list=&saved=");
    let page = browser.get(sent.header("location")).body;
    assert!(page.contains("Your tries") && page.contains("<dd class=\"n\">3</dd>"), "{page}");
    // The page names the tool only with arguments that the tool has.
    let tool = "Tool <code>backtest</code>";
    assert!(page.contains(tool), "{page}");
    let of_saved = browser.get("/india/backtest?saved=Large").body;
    assert!(of_saved.contains("saved=Large") && !of_saved.contains(tool), "{of_saved}");
}
