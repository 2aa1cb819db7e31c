//! The tour on the first page of the demo market, which a cookie hides.

use parquote::operation::Market;
use reqwest::Method;

use super::visit::visit;
use crate::server::SERVER;

const TITLE: &str = "Four steps to begin with";

#[test]
fn the_first_page_of_the_demo_market_has_a_tour_until_it_is_hidden() {
    for market in Market::ALL {
        let home = format!("/{market}");
        let page = visit(&home);
        let (_, tour) = page.text.split_once(TITLE).unwrap_or_else(|| panic!("no tour: {}", page.text));
        assert_eq!(tour.split("</ol>").next().unwrap().matches("<li>").count(), 4);
        let links = page.links();
        let screen = links.iter().find(|link| link.starts_with(&format!("{home}/screener?query="))).unwrap();
        assert!(visit(screen).all("tr").count() > 1, "{screen}");

        let hidden = SERVER.send(&Method::GET, &format!("{home}/tour/hide"), &[], "");
        assert_eq!((hidden.status, hidden.header("location")), (303, home.as_str()));
        let cookie = hidden.header("set-cookie").split(';').next().unwrap();
        let headers = [("cookie", cookie), ("if-none-match", page.reply.header("etag"))];
        let later = SERVER.send(&Method::GET, &home, &headers, "");
        let text = String::from_utf8(later.body.clone()).unwrap();
        assert!(later.status == 200 && !text.contains(TITLE) && text.contains("Show the tour"), "{text}");
        let shown = SERVER.send(&Method::GET, &format!("{home}/tour/show"), &[("cookie", cookie)], "");
        assert!(shown.header("set-cookie").contains("Max-Age=0"));
    }
    assert!(!visit("/india/breadth").text.contains(TITLE));
}
