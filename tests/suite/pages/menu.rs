//! The menu of every page: six sections and the tabs of the present one, each marked once; landmarks with names of their own; dates of one
//! format.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::markup::Tag;
use super::visit::{Visit, paths, visit};

/// Returns the links of a navigation with this name.
fn links<'a>(page: &'a Visit, name: &str) -> Vec<&'a Tag> {
    let is_it = |tag: &Tag| tag.name == "nav" && tag.attribute("aria-label") == Some(name);
    let inside = page.tags.iter().skip_while(|tag| !is_it(tag)).skip(1);
    let inside = inside.take_while(|tag| ["a", "svg", "path", "span"].contains(&tag.name.as_str()));
    inside.filter(|tag| tag.name == "a").collect()
}

#[test]
fn every_page_marks_its_section_and_its_tab() {
    let mut tabbed = 0;
    for path in paths() {
        let page = visit(&path);
        let sections = links(&page, "Sections");
        // The last one leads to the search, on phones.
        assert_eq!(sections.len(), 7, "{path}");
        let marked = |tags: &[&Tag], word: &str| {
            tags.iter().filter(|tag| tag.attribute("aria-current") == Some(word)).count()
        };
        assert_eq!(marked(&sections, "true"), 1, "{path}");
        let tabs = links(&page, "Pages of this section");
        assert!(tabs.len() > 1, "{path}: {}", tabs.len());
        let present: Vec<&str> = tabs
            .iter()
            .filter(|tag| tag.attribute("aria-current") == Some("page"))
            .filter_map(|tag| tag.attribute("href"))
            .collect();
        tabbed += present.len();
        assert!(present.is_empty() || present == [path.as_str()], "{path}: {present:?}");
    }
    // Searches, lists, recorded picks, runs and the rotation within a sector are reached by links.
    assert!(tabbed + 15 >= paths().len(), "{tabbed} of {}", paths().len());
}

#[test]
fn a_page_below_a_tab_marks_that_tab() {
    let page = visit("/india/rotation/sector?sector=Healthcare");
    let tabs = links(&page, "Pages of this section");
    let marked = tabs.iter().filter(|tab| tab.attribute("aria-current") == Some("true"));
    let marked: Vec<&str> = marked.filter_map(|tab| tab.attribute("href")).collect();
    assert_eq!((marked, page.one("h1").text.trim()), (vec!["/india/rotation"], "Healthcare"));
}

#[test]
fn landmarks_have_names_of_their_own() {
    for path in paths() {
        let page = visit(&path);
        let names: Vec<&str> = page.all("nav").filter_map(|tag| tag.attribute("aria-label")).collect();
        let different: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), different.len(), "{path}: {names:?}");
        assert_eq!(names.len(), page.all("nav").count(), "{path}");
        for name in ["header", "main", "footer"] {
            page.one(name);
        }
    }
}

#[test]
fn dates_have_one_format_and_times_one_zone() {
    let is_iso = |text: &str| NaiveDate::parse_from_str(text.trim(), "%Y-%m-%d").is_ok();
    let mut dates = 0;
    for path in paths() {
        let page = visit(&path);
        let wrong = page.tags.iter().find(|tag| is_iso(&tag.text));
        assert_eq!(wrong, None, "{path}");
        let is_date = |text: &str| NaiveDate::parse_from_str(text, "%d %b %Y").is_ok();
        dates += page.tags.iter().filter(|tag| is_date(&tag.text)).count();
        assert_eq!(page.text.matches("Times of day are").count(), 1, "{path}");
    }
    assert!(dates > 500, "{dates}");
}

#[test]
fn an_empty_list_leads_to_its_newest_rows() {
    let page = visit("/india/deals?offset=5000");
    assert!(page.text.contains("Newest rows: deals 30 Oct 2026"), "{}", page.text);
    let newest = page.all("a").find(|tag| tag.text == "Show the newest rows").unwrap();
    assert_eq!(newest.attribute("href"), Some("/india/deals"));
}
