//! Lists: every heading orders all rows, and pages go on in that order.

use reqwest::Method;
use serde_json::Value as Json;

use super::markup::Tag;
use super::visit::{Visit, routes, visit};
use crate::server::SERVER;

/// Returns the tags of the head of the first list; empty if there is none. Pictures have tables, too.
fn head(page: &Visit) -> Vec<&Tag> {
    let is_list = |tag: &&Tag| tag.name == "table" && tag.attribute("class") == Some("list");
    let list = page.tags.iter().skip_while(|tag| !is_list(tag));
    list.take_while(|tag| tag.name != "tbody").collect()
}

/// Returns the companies of the rows, in their order.
fn companies(page: &Visit, market: &str) -> Vec<String> {
    let body = page.tags.iter().skip_while(|tag| tag.name != "tbody").take_while(|tag| tag.name != "nav");
    let links = body.filter(|tag| tag.name == "a").filter_map(|tag| tag.attribute("href"));
    let start = format!("/{market}/company/");
    links.filter_map(|link| link.strip_prefix(&start)).map(str::to_owned).collect()
}

#[test]
fn every_heading_of_a_list_orders_it() {
    let mut lists = 0;
    for (_, path) in routes().into_iter().filter(|(_, path)| !path.contains('{')) {
        let page = visit(&path);
        let head = head(&page);
        if head.is_empty() {
            continue;
        }
        lists += 1;
        // Small lines are no figures, and the links to conditions have a hidden heading.
        let is_figure =
            |tag: &&&Tag| tag.name == "th" && tag.attribute("class") != Some("drawn") && !tag.text.is_empty();
        let silent: Vec<&str> = head.iter().filter(is_figure).map(|tag| tag.text.as_str()).collect();
        assert!(silent.is_empty(), "{path}: {silent:?}");
        assert!(head.iter().filter(|tag| tag.name == "a").count() > 2, "{path}");
    }
    assert!(lists > 25, "{lists}");
}

#[test]
fn a_list_says_how_many_rows_a_page_has_and_leaves_out_empty_columns() {
    let page = visit("/india/leaders");
    let limit = page.all("input").find(|tag| tag.attribute("name") == Some("limit")).unwrap();
    assert_eq!(limit.attribute("placeholder"), Some("50"));
    assert!(page.text.contains("1 to 50 are shown"));
    // No index of the demo market has closes.
    let titles =
        |path: &str| head(&visit(path)).iter().map(|tag| tag.text.trim().to_owned()).collect::<Vec<_>>();
    assert!(!titles("/india/indices").contains(&"Level".to_owned()));
    assert!(titles("/india/indices?fields=index_name,index_close").contains(&"Level".to_owned()));
    assert!(visit("/india/indices").text.contains("A company counts in each of its indices."));
}

#[test]
fn what_is_the_same_in_all_rows_is_said_once_above_them() {
    let titles = |page: &Visit| -> Vec<String> {
        head(page).iter().map(|tag| tag.text.trim().to_owned()).filter(|title| !title.is_empty()).collect()
    };
    let page = visit("/us/filings");
    assert!(!titles(&page).contains(&"Form".to_owned()), "{:?}", titles(&page));
    let said = page.text.split("<span class=\"covered\">All rows shown: ").nth(1).unwrap();
    let said = said.split("</span>").next().unwrap();
    // The files of the list have the column, its order is a link, and it is shown to those who choose it or order by it.
    assert!(said.contains("<b>8-K</b>") && said.contains("order="), "{said}");
    let order = page.links().into_iter().find(|link| link.contains("order=form")).unwrap();
    let ordered = titles(&visit(&order));
    assert!(ordered.iter().any(|title| title.starts_with("Form")), "{ordered:?}");
    assert!(titles(&visit("/us/filings?fields=symbol,form")).contains(&"Form".to_owned()));
    let csv = page.links().into_iter().find(|link| link.contains(".csv")).unwrap();
    let csv = String::from_utf8(SERVER.send(&Method::GET, &csv, &[], "").body).unwrap();
    assert!(csv.lines().next().unwrap().split(',').any(|name| name == "form"), "{csv}");
}

#[test]
fn an_order_is_one_of_all_rows() {
    let all = SERVER.send(&Method::GET, "/india/deals.json", &[], "");
    let mut all: Vec<Json> = serde_json::from_slice(&all.body).unwrap();
    assert!(all.len() > 100, "{}", all.len());
    let value = |row: &Json| row["value_cr"].as_f64().unwrap_or(f64::MIN);
    all.sort_by(|one, other| value(other).total_cmp(&value(one)));
    let symbols: Vec<&str> = all.iter().map(|row| row["symbol"].as_str().unwrap()).collect();
    let first = visit("/india/deals?order=-value_cr");
    assert_eq!(companies(&first, "india"), symbols[..50]);
    let second = visit("/india/deals?order=-value_cr&offset=50");
    assert_eq!(companies(&second, "india"), symbols[50..100]);
    assert!(first.links().contains(&"/india/deals?order=-value_cr&offset=50".to_owned()));
    // The other direction is one click away, and the heading says the present one.
    let sorted: Vec<&str> = head(&first).iter().filter_map(|tag| tag.attribute("aria-sort")).collect();
    assert_eq!(sorted, ["descending"]);
    assert!(first.links().contains(&"/india/deals?order=value_cr".to_owned()));
    let refused = visit("/india/deals?order=valu_cr");
    assert_eq!(refused.reply.status, 400);
    assert!(refused.text.contains("did you mean `value_cr`?"));
}

#[test]
fn rows_within_an_object_are_ordered() {
    let mut hits = SERVER.get("feeds/circuit").data()["hits"].as_array().unwrap().clone();
    let change = |row: &Json| row["change_pct"].as_f64().unwrap_or(f64::MIN);
    hits.sort_by(|one, other| change(other).total_cmp(&change(one)));
    let symbols: Vec<&str> = hits.iter().map(|row| row["symbol"].as_str().unwrap()).collect();
    let page = visit("/india/bands?order=-change_pct");
    assert_eq!(companies(&page, "india"), symbols);
    assert_ne!(companies(&visit("/india/bands"), "india"), symbols);
    let sorted: Vec<&str> = head(&page).iter().filter_map(|tag| tag.attribute("aria-sort")).collect();
    assert_eq!(sorted, ["descending"]);
    let refused = visit("/india/bands?order=chang_pct");
    assert!(refused.reply.status == 400 && refused.text.contains("did you mean `change_pct`?"));
}

#[test]
fn a_screen_is_ordered_by_columns_that_its_operation_does_not_order_by() {
    let page = visit("/india/screener?query=RS+above+20&order=symbol");
    let shown = companies(&page, "india");
    let mut sorted = shown.clone();
    sorted.sort();
    assert!(shown.len() == 50 && shown == sorted, "{shown:?}");
    let next = companies(&visit("/india/screener?query=RS+above+20&order=symbol&offset=50"), "india");
    assert!(next.first().unwrap() > shown.last().unwrap());
    // Its own order takes the place of this one.
    let own = page.links().into_iter().find(|link| link.contains("sort_by=roe")).unwrap();
    assert!(!own.contains("order="), "{own}");
    // Another sentence begins without an order.
    let other = "/india/screener?query=RS+above+50&said=RS+above+20&order=symbol";
    let other = SERVER.send(&Method::GET, other, &[], "");
    assert_eq!(other.header("location"), "/india/screener?query=RS+above+50");
}

#[test]
fn columns_that_were_chosen_are_those_of_the_next_visit() {
    let get = |path: &str, cookie: &str| SERVER.send(&Method::GET, path, &[("cookie", cookie)], "");
    let chosen = get("/india/leaders?fields=symbol&fields=pct_from_high&choose=yes", "");
    assert_eq!(
        (chosen.status, chosen.header("location")),
        (303, "/india/leaders?fields=symbol%2Cpct_from_high")
    );
    let line = chosen.header("set-cookie");
    assert!(line.starts_with("columns.leaders=symbol.pct_from_high; "), "{line}");
    assert!(line.contains("; Path=/india/leaders; "), "{line}");
    let cookie = line.split(';').next().unwrap();
    let next = get("/india/leaders?liquidity=all", cookie);
    let address = "/india/leaders?liquidity=all&fields=symbol%2Cpct_from_high";
    assert_eq!((next.status, next.header("location")), (303, address));
    let shown = get(address, cookie);
    assert_eq!((shown.status, shown.header("set-cookie")), (200, ""));
    // An address that names other columns shows these, and the reasons for a stock have columns of their own.
    assert_eq!(get("/india/leaders?fields=symbol", cookie).status, 200);
    assert_eq!(get("/india/scans?explain=BAXIPAPOWR", cookie).status, 200);
    assert_eq!(get("/india/breadth", cookie).status, 200);
    let usual = get("/india/leaders?choose=usual", cookie);
    assert_eq!((usual.status, usual.header("location")), (303, "/india/leaders"));
    assert!(usual.header("set-cookie").starts_with("columns.leaders=; Max-Age=0; "));
    // A column that is gone is refused once.
    let gone = get("/india/leaders?fields=symbol%2Cgone", "columns.leaders=symbol.gone");
    assert_eq!(gone.status, 400);
    assert!(gone.header("set-cookie").starts_with("columns.leaders=; Max-Age=0; "));
    // Browsers send the cookie of a page also to the pages below it, which have other columns.
    let deals = get("/india/deals?fields=symbol&fields=deal_date&choose=yes", "");
    let cookie = deals.header("set-cookie").split(';').next().unwrap();
    assert_eq!((get("/india/deals", cookie).status, get("/india/deals/net", cookie).status), (303, 200));
}

#[test]
fn filters_of_lists_apply_on_change_and_have_a_button_without_scripts() {
    let filters = |path: &str| {
        let page = visit(path);
        let form = page.all("form").find(|tag| tag.attribute("class") == Some("controls applies")).cloned();
        (form.is_some(), page.text.contains("<div class=\"field apply\"><button>Show</button></div>"))
    };
    for path in ["/india/leaders", "/us/scans", "/india/deals"] {
        assert_eq!(filters(path), (true, true), "{path}");
    }
    let set = visit("/india/leaders?liquidity=all");
    let clear = set.all("a").find(|tag| tag.attribute("class") == Some("clear")).unwrap();
    assert_eq!(clear.attribute("href"), Some("/india/leaders"));
    assert!(!visit("/india/leaders").text.contains("class=\"clear\""));
    // A form whose answer takes work is sent by its button.
    assert_eq!(filters("/india/committee/risk"), (false, true));
}
