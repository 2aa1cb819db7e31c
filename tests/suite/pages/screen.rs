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
fn the_page_of_sentences_that_was_there_before_leads_here() {
    let reply = SERVER.send(&Method::GET, "/india/ask?query=RSI+above+50", &[], "");
    assert_eq!((reply.status, reply.header("location")), (303, "/india/screener?query=RSI+above+50"));
}
