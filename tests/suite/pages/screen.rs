//! The screener: sentences, chips that remove one condition, counts that retain the query, small pictures.

use super::visit::{Visit, visit};
use crate::server::SERVER;
use reqwest::Method;

const SENTENCE: &str = "Midcap+pharma+ROE+above+20+RS+above+80+by+RS";

/// Returns the addresses of links whose label begins with a text.
fn links(page: &Visit, label: &str) -> Vec<String> {
    let meant = page.all("a").filter(|tag| {
        tag.attribute("aria-label").is_some_and(|said| said.starts_with(label))
            || tag.text.trim().starts_with(label)
    });
    meant.filter_map(|tag| tag.attribute("href")).map(|address| address.replace("&amp;", "&")).collect()
}

#[test]
fn a_sentence_has_a_chip_for_each_condition_and_the_ways_to_more_stocks() {
    let page = visit(&format!("/india/screener?query={SENTENCE}"));
    assert_eq!(page.reply.status, 200);
    let chips = links(&page, "Without ");
    assert_eq!(chips.len(), 4, "{chips:?}");
    assert_eq!(chips[0], format!("/india/screener?query={SENTENCE}&without=1"));
    assert!(page.text.contains("return on equity above 20 %"));
    let near = links(&page, "without ");
    assert!(!near.is_empty(), "{}", page.text);
    // Each link leads to the announced number of stocks.
    for address in near {
        let told = page.text.split(&address.replace('&', "&amp;")).nth(2).unwrap();
        let told = told.split("<b>").nth(1).unwrap().split('<').next().unwrap();
        let other = visit(&address);
        let rows = other.all("tr").count() - 1;
        assert_eq!(rows.to_string(), told, "{address}");
        assert!(links(&other, "With ").len() == 1, "{address}");
    }
}

#[test]
fn the_figure_of_a_condition_is_a_field() {
    let page = visit("/india/screener?query=ROE+above+10+and+RS+above+80+by+RS&max_pe=40&cap=mid&offset=50");
    let field = |name: &str| {
        let mut inputs = page.all("input").filter(|tag| tag.attribute("type") == Some("number"));
        let field = inputs.find(|tag| {
            tag.attribute("name") == Some(name) && tag.attribute("id") == Some(format!("of-{name}").as_str())
        });
        field.and_then(|tag| tag.attribute("value")).map(str::to_owned)
    };
    assert_eq!(field("figure.1").as_deref(), Some("10"));
    assert_eq!(field("figure.2").as_deref(), Some("80"));
    assert_eq!(field("max_pe").as_deref(), Some("40"));
    // A size is a word.
    assert_eq!(field("cap"), None);
    assert_eq!(
        page.text.matches("<svg class=\"histogram\"").count(),
        4,
        "two of the sentence, a limit, a size"
    );
    let sent = "/india/screener?query=RS+above+80&figure.1=55.5&sector=";
    let sent = SERVER.send(&Method::GET, sent, &[], "");
    let address = "/india/screener?query=RS+above+80&figures=1%3A55.5";
    assert_eq!((sent.status, sent.header("location")), (303, address));
    let replaced = visit(address);
    assert!(replaced.text.contains("relative-strength rating above 55.5"));
    assert_eq!(
        links(&replaced, "Without "),
        ["/india/screener?query=RS+above+80&figures=1%3A55.5&without=1"]
    );
}

#[test]
fn a_formula_that_is_refused_stays_in_its_field() {
    let page = visit("/india/screener?formula=roce+-+growth&min_rs=60");
    assert_eq!(page.reply.status, 400);
    assert!(page.text.contains("near to it: "), "{}", page.text);
    let field = page.all("input").find(|tag| tag.attribute("name") == Some("formula")).unwrap();
    assert_eq!(field.attribute("value"), Some("roce - growth"));
}

#[test]
fn a_count_keeps_the_sentence_and_the_limits() {
    let page = visit("/india/screener?query=RS+above+50&min_roe=5&view=table");
    let large = links(&page, "Large cap");
    assert_eq!(large, ["/india/screener?query=RS+above+50&min_roe=5&view=table&cap=large"]);
    let chosen = visit(&large[0]);
    // A second click removes the choice.
    assert_eq!(links(&chosen, "Large cap"), ["/india/screener?query=RS+above+50&min_roe=5&view=table"]);
    assert_eq!(links(&chosen, "Without ").len(), 3);
}

#[test]
fn what_is_not_understood_is_said_and_nothing_is_listed() {
    let page = visit("/india/screener?query=pharma+with+vorpal+above+3");
    assert!(
        page.text.contains("Not understood: <b>vorpal above 3</b>. No stock is listed."),
        "{}",
        page.text
    );
    assert_eq!(page.all("tr").count(), 0);
    assert_eq!(page.reply.status, 200);
}

#[test]
fn an_empty_screen_and_an_empty_form_say_what_to_do() {
    let page = visit("/india/screener?query=RS+above+99+and+P%2FE+below+1");
    assert!(page.text.contains("No stock meets all of it: take a condition out"), "{}", page.text);
    assert!(!page.text.contains("Newest rows") && page.text.contains(">Show all rows<"), "{}", page.text);
    let page = visit("/india/compare");
    assert_eq!(page.text.matches("Nothing is requested yet.").count(), 1);
    assert!(page.links().contains(&"/india/leaders".to_owned()));
}

#[test]
fn each_row_has_a_small_picture_and_a_view_has_twelve_charts() {
    for market in ["india", "us"] {
        let page = visit(&format!("/{market}/screener"));
        let sparks: Vec<&str> = page.text.split("<svg class=\"spark\"").skip(1).collect();
        assert_eq!(sparks.len(), 50, "{market}");
        assert!(sparks.iter().all(|svg| svg.split("</svg>").next().unwrap().len() <= 500));
        let charts = visit(&format!("/{market}/screener?view=charts"));
        assert_eq!(
            charts.text.matches("<svg class=\"small-candles\" role=\"img\" aria-label=").count(),
            12,
            "{market}"
        );
        assert_eq!(links(&charts, "Next"), [format!("/{market}/screener?view=charts&offset=12")]);
        assert!(charts.text.contains("1 to 12 are shown"));
    }
}

#[test]
fn every_table_of_stocks_has_small_lines_and_a_wall_of_charts() {
    for path in [
        "/india/leaders?",
        "/india/rs-changes?",
        "/india/scorecards?",
        "/india/earnings?",
        "/india/scans?scan_type=stage2&",
        "/us/scans?scan_type=stage2&",
        "/us/conviction?min_scans=1&",
    ] {
        let page = visit(path.trim_end_matches(['?', '&']));
        let ticks = page.all("input").filter(|tag| tag.attribute("class") == Some("tick")).count();
        let lines = page.text.matches("<svg class=\"spark\"").count();
        // A stock with one bar has no line.
        assert!(ticks > 12 && lines <= ticks && lines + 2 >= ticks, "{path}: {lines} of {ticks}");
        let charts = visit(&format!("{path}view=charts"));
        assert_eq!(charts.text.matches("<svg class=\"small-candles\"").count(), 12, "{path}");
        assert!(links(&charts, "Next")[0].ends_with("view=charts&offset=12"), "{path}");
        assert_eq!(links(&charts, "table"), std::slice::from_ref(&page.path), "{path}");
    }
    // More rows than bars are asked for at once: the first ones have lines.
    let long = visit("/india/leaders?limit=80");
    assert_eq!(long.text.matches("<svg class=\"spark\"").count(), 50);
}

#[test]
fn the_page_of_sentences_that_was_there_before_leads_here() {
    let reply = SERVER.send(&Method::GET, "/india/ask?query=RSI+above+50", &[], "");
    assert_eq!((reply.status, reply.header("location")), (303, "/india/screener?query=RSI+above+50"));
}

#[test]
fn the_heat_map_leads_from_a_sector_to_its_industries_and_their_stocks() {
    let map = visit("/india/heat?window=1M");
    let groups = |page: &Visit| -> Vec<String> {
        let groups = page.all("a").filter(|tag| tag.attribute("class") == Some("group"));
        groups.filter_map(|tag| tag.attribute("href")).map(|address| address.replace("&amp;", "&")).collect()
    };
    let sectors = groups(&map);
    let sector = sectors.iter().find(|link| link.ends_with("sector=Healthcare")).unwrap();
    assert_eq!(sector, "/india/heat?window=1M&sector=Healthcare");
    let industries = groups(&visit(sector));
    let start = format!("{sector}&industry=");
    assert!(industries.len() > 1 && industries.iter().all(|link| link.starts_with(&start)), "{industries:?}");
    let stocks = visit(&industries[0]);
    assert_eq!(stocks.reply.status, 200);
    assert!(groups(&stocks).is_empty());
    let name = industries[0].strip_prefix(&start).unwrap();
    let rows = SERVER.get(&format!("explore/heat-map?sector=Healthcare&industry={name}")).data();
    let symbols: Vec<&str> =
        rows.as_array().unwrap().iter().map(|row| row["symbol"].as_str().unwrap()).collect();
    let cells = stocks.all("a").filter(|tag| tag.attribute("class") == Some("cell"));
    let cells: Vec<&str> = cells.filter_map(|tag| tag.attribute("href")).collect();
    assert!(!symbols.is_empty() && cells.len() >= symbols.len(), "{cells:?}");
    for symbol in symbols {
        assert!(cells.contains(&format!("/india/company/{symbol}").as_str()), "{symbol}");
    }
}
