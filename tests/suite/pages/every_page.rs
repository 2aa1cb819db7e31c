//! Rules for every page: it answers, it is well-formed, it has one heading, and it has no inline script or style.

use reqwest::Method;

use super::markup::Tag;
use super::visit::{Visit, expected, paths, visit};
use crate::server::SERVER;

#[test]
fn every_page_answers_and_says_what_it_is() {
    let paths = paths();
    assert!(paths.len() > 40, "{}", paths.len());
    for path in paths {
        let page = visit(&path);
        assert_eq!(page.reply.status, expected(&path), "{path}: {}", page.text);
        assert_eq!(page.one("html").attribute("lang"), Some("en"), "{path}");
        let (heading, title) = (page.one("h1"), page.all("title").next().unwrap());
        assert!(!heading.text.trim().is_empty(), "{path}");
        assert!(title.text.starts_with(heading.text.trim()), "{path}: {} {}", title.text, heading.text);
        page.one("main");
        assert!(!page.text.contains("This key does not reach"), "{path}");
    }
}

#[test]
fn nothing_in_a_page_runs_or_styles_itself() {
    for path in paths() {
        let page = visit(&path);
        for tag in &page.tags {
            let is_active = |(name, _): &(String, String)| name == "style" || name.starts_with("on");
            assert!(!tag.attributes.iter().any(is_active), "{path}: {tag:?}");
            assert_ne!(tag.name, "style", "{path}");
            if tag.name == "script" {
                let is_data = tag.attribute("type") == Some("application/json");
                assert!(is_data || tag.attribute("src").is_some(), "{path}: {tag:?}");
            }
        }
        for name in ["src", "href", "action"] {
            let is_other = |value: &&str| value.contains("//") && !value.starts_with("https://www.sec.gov/");
            let other = page.tags.iter().filter_map(|tag| tag.attribute(name)).find(is_other);
            assert_eq!(other, None, "{path}");
        }
    }
}

#[test]
fn one_policy_holds_for_all_pages_and_the_manual() {
    let manual = ["/v1/docs", "/v1/docs/market/sectors", "/v1/docs/guides/scores"].map(str::to_owned);
    let lost = ["/india/no/such", "/us/company/NOSUCH"].map(str::to_owned);
    for path in paths().into_iter().chain(manual).chain(lost) {
        let reply = SERVER.send(&Method::GET, &path, &[], "");
        assert_eq!(
            reply.header("content-security-policy"),
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
             form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
            "{path}"
        );
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
    }
}

#[test]
fn every_control_has_a_label_and_every_picture_its_table() {
    for path in paths() {
        let page = visit(&path);
        let labels: Vec<&str> = page.all("label").filter_map(|tag| tag.attribute("for")).collect();
        let controls =
            page.tags.iter().filter(|tag| ["select", "input", "textarea"].contains(&tag.name.as_str()));
        for control in controls.filter(|tag| tag.attribute("type") != Some("hidden")) {
            let is_labelled = control.attribute("aria-label").is_some()
                || control.attribute("id").is_some_and(|id| labels.contains(&id));
            assert!(is_labelled, "{path}: {control:?}");
        }
        let drawn = page.all("figure").count();
        let behind =
            page.all("details").filter(|tag| tag.attribute("class") == Some("behind-picture")).count();
        assert_eq!(drawn, behind, "{path}");
    }
}

#[test]
fn every_page_shows_the_requests_behind_it() {
    let asks = |page: &Visit| page.text.contains("curl ");
    let silent: Vec<String> = paths().into_iter().filter(|path| !asks(&visit(path))).collect();
    // These pages wait for their form.
    let waiting = [
        "/list", "/compare", "/presets/start", "/presets/run", "/committee/run", "/committee/scan",
        "/committee/risk",
    ];
    let unexpected: Vec<&String> =
        silent.iter().filter(|path| !waiting.iter().any(|end| path.ends_with(end))).collect();
    assert!(unexpected.is_empty(), "{unexpected:?}");
}

#[test]
fn what_has_not_changed_is_not_sent_again() {
    for path in ["/india", "/india/screener?min_roe=15", "/us/leaders", "/india/company/BAXIPAPOWR"] {
        let first = visit(path);
        let tag = first.reply.header("etag");
        assert!(!tag.is_empty(), "{path}");
        let again = SERVER.send(&Method::GET, path, &[("if-none-match", tag)], "");
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        let other = visit(&format!("{path}{}x=1", if path.contains('?') { "&" } else { "?" }));
        assert_ne!(other.reply.header("etag"), tag, "{path}");
    }
}

#[test]
fn what_a_form_leaves_empty_is_not_in_the_address_of_the_view() {
    let reply = SERVER.send(&Method::GET, "/india/screener?min_roe=15&max_pe=&sector=", &[], "");
    assert_eq!((reply.status, reply.header("location")), (303, "/india/screener?min_roe=15"));
    let reply = SERVER.send(&Method::GET, "/india/screener?fields=symbol&fields=roe", &[], "");
    assert_eq!((reply.status, reply.header("location")), (303, "/india/screener?fields=symbol%2Croe"));
    let page = visit("/india/screener?fields=symbol%2Croe");
    let headings: Vec<&Tag> = page.all("th").filter(|tag| tag.attribute("scope") == Some("col")).collect();
    assert_eq!(headings.len(), 2, "{headings:?}");
}

#[test]
fn rows_come_as_files() {
    let csv = SERVER.send(&Method::GET, "/india/screener.csv?min_roe=15&offset=3", &[], "");
    assert_eq!((csv.status, csv.header("content-type")), (200, "text/csv; charset=utf-8; header=present"));
    assert!(csv.header("content-disposition").contains("screener-india.csv"));
    let rest = SERVER.get("explore/screen-words?min_roe=15&format=csv&limit=5000");
    assert_eq!(csv.body, rest.body);
    // The CSV has all rows of a sentence, in the order and with the columns of the page.
    let chosen = "/us/screener.csv?query=ROE+above+5&sort_by=pe&sort_dir=asc&fields=symbol%2Cpe&view=charts";
    let chosen = SERVER.send(&Method::GET, chosen, &[], "");
    let rest = "us/explore/screen-words?query=ROE+above+5&sort_by=pe&sort_dir=asc&fields=symbol,pe&format=csv&limit=5000";
    let rest = SERVER.get(rest);
    assert!(chosen.body == rest.body && rest.body.len() > 1_000, "{}", rest.body.len());
    // The page links to it with all its parameters.
    let page = visit("/us/screener?min_rs=60&sort_by=roe&fields=symbol%2Croe&offset=50");
    for format in ["csv", "xlsx", "arrow"] {
        let file = format!("/us/screener.{format}?min_rs=60&sort_by=roe&fields=symbol%2Croe");
        let is_built = format != "xlsx" || cfg!(feature = "xlsx");
        let is_linked = page.links().iter().any(|link| link.replace("&amp;", "&") == file);
        assert_eq!(is_linked, is_built, "{:?}", page.links());
    }
    assert!(page.text.contains("All rows as"));
    let xlsx = SERVER.send(&Method::GET, "/us/leaders.xlsx", &[], "");
    if cfg!(feature = "xlsx") {
        assert!(xlsx.status == 200 && xlsx.body.starts_with(b"PK"));
        assert!(xlsx.header("content-disposition").contains("leaders-us.xlsx"));
    } else {
        assert_eq!(xlsx.status, 404);
    }
    let arrow = SERVER.send(&Method::GET, "/us/leaders.arrow", &[], "");
    assert_eq!((arrow.status, arrow.header("content-type")), (200, "application/vnd.apache.arrow.stream"));
}

/// Returns the headings of the first table of a page.
fn headings(page: &Visit) -> Vec<String> {
    let head = page.tags.iter().skip_while(|tag| tag.name != "thead").take_while(|tag| tag.name != "tbody");
    let mut headings: Vec<String> = Vec::new();
    for tag in head {
        match (tag.name.as_str(), headings.last_mut()) {
            ("th", _) => headings.push(tag.text.trim().to_owned()),
            ("a", Some(heading)) => heading.push_str(tag.text.trim()),
            _ => {}
        }
    }
    headings
}

#[test]
fn a_list_shows_first_what_it_is_about_and_what_its_rows_were_chosen_by() {
    for (path, asked) in [
        ("/india/leaders", ["Symbol", "Company", "60 sessions", "RS rating"].as_slice()),
        ("/india/insiders", &["Symbol", "Company", "Side", "Value", "Shares", "Price"]),
        ("/india/orders", &["Symbol", "Company", "Value"]),
        ("/us/filings", &["Symbol", "Company", "Filed on", "Document"]),
        ("/us/scorecards", &["Symbol", "Company", "60 sessions", "Overall score"]),
        ("/india/screener", &["Symbol", "Company", "60 sessions", "Market cap ↓", "RS rating", "Stage"]),
        (
            "/india/screener?sort_by=roe&max_de=1&min_mcap=500",
            &["Symbol", "Company", "60 sessions", "ROE ↓", "Market cap", "Debt / equity"],
        ),
        (
            "/india/screener?formula=roce+-+pe&sort_by=formula",
            &["Symbol", "Company", "60 sessions", "roce - pe ↓", "RS rating"],
        ),
        (
            "/india/screener?formula=gap+%3D+roce+-+pe&second_formula=roce+%2B+roe&sort_by=second_formula",
            &["Symbol", "Company", "60 sessions", "gap", "roce + roe ↓", "RS rating"],
        ),
        ("/us/screener?formula=roce+-+pe&fields=symbol%2Cpe", &["Symbol", "P/E", "roce - pe"]),
        (
            "/india/screener?query=RSI+above+50+by+RS",
            &["Symbol", "Company", "60 sessions", "RS rating ↓", "RSI 14"],
        ),
    ] {
        let headings = headings(&visit(path));
        assert_eq!(
            headings.iter().take(asked.len()).collect::<Vec<_>>(),
            asked.iter().collect::<Vec<_>>(),
            "{path}: {headings:?}"
        );
    }
}
