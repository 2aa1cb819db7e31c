//! The registry against the catalogue: what a page names is there, so that no page says so only when it is asked.

use std::collections::BTreeSet;

use super::registry;
use super::request::PageRequest;
use super::spec::{Given, View};
use parquote_catalogue::operation::{Catalogue, Market, Operation, Presentation};

fn catalogue() -> Catalogue {
    Catalogue::with_overlay(&[]).unwrap()
}

#[test]
fn every_page_has_a_path_of_its_own_and_pages_beside_it_that_exist() {
    let mut paths = BTreeSet::new();
    for page in registry::pages() {
        assert!(paths.insert(page.path), "{} stands twice", page.path);
        assert!(Market::ALL.iter().any(|market| page.is_in(*market)), "{} is in no market", page.path);
        for (path, _) in page.tabs {
            assert!(registry::find(path).is_some(), "{}: no page {path}", page.path);
        }
        let mut ids = BTreeSet::new();
        assert!(page.parts.iter().all(|part| ids.insert(part.id)), "{}: an id stands twice", page.path);
    }
}

#[test]
fn every_operation_and_argument_that_a_page_names_is_there() {
    let catalogue = catalogue();
    let find = |page: &str, name: &str| -> std::sync::Arc<Operation> {
        catalogue.operation(name).unwrap_or_else(|| panic!("{page}: no operation {name}")).clone()
    };
    for page in registry::pages() {
        for market in Market::ALL {
            for ask in page.parts.iter().filter_map(|part| part.ask(market)) {
                let operation = find(page.path, ask.operation);
                // What is the same in both markets, such as the keys of an account, reads no table of either.
                let reads_tables = operation.run.is_none() || !operation.selects.is_empty();
                assert!(
                    operation.serves(market) || !reads_tables,
                    "{}: {} in {market}",
                    page.path,
                    ask.operation
                );
                let own = |(name, _): &&(&str, Given)| !Presentation::is_asked_with(name);
                for (name, given) in ask.arguments.iter().filter(own) {
                    let param = operation.param(name);
                    let param =
                        param.unwrap_or_else(|| panic!("{}: {} has no {name}", page.path, ask.operation));
                    let values: Vec<&str> = match given {
                        Given::Fixed(value) => vec![value],
                        Given::Chosen(choice) => choice.words.iter().map(|(_, value)| *value).collect(),
                        _ => Vec::new(),
                    };
                    for value in values {
                        let taken = param.value(value, parquote_catalogue::operation::Tier::ApiMax);
                        assert!(taken.is_ok(), "{}: {name}={value}: {taken:?}", page.path);
                    }
                }
            }
        }
        for action in page.actions() {
            let operation = find(page.path, action.operation);
            assert_ne!(
                operation.effect,
                parquote_catalogue::operation::Effect::Reads,
                "{}",
                action.operation
            );
            for name in action.known {
                assert!(operation.param(name).is_some(), "{}: {name}", action.operation);
            }
        }
    }
}

#[test]
fn what_is_drawn_is_declared_by_its_operation() {
    let catalogue = catalogue();
    for page in registry::pages() {
        for part in
            page.parts.iter().filter(|part| part.views.iter().any(|view| matches!(view, View::Drawn(_))))
        {
            for ask in Market::ALL.iter().filter_map(|market| part.ask(*market)) {
                let operation = catalogue.operation(ask.operation).unwrap();
                assert!(operation.has_picture(), "{}: {} declares no picture", page.path, ask.operation);
            }
        }
    }
}

#[test]
fn an_address_holds_what_is_asked_and_nothing_else() {
    let page = registry::find("screener").unwrap();
    let pairs = [
        ("min_roe", "15"),
        ("max_pe", " "),
        ("sector", "Oil, Gas & Fuels"),
        ("fields", "a"),
        ("fields", "b"),
    ];
    let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let request = PageRequest::new((Market::India, page), None, pairs);
    assert_eq!(request.address(), "/india/screener?min_roe=15&sector=Oil%2C+Gas+%26+Fuels&fields=a%2Cb");
    assert_eq!(
        request.with(&[("sector", None), ("fields", None), ("min_roe", Some("20"))]),
        "/india/screener?min_roe=20"
    );
    let company = registry::find("company/{symbol}").unwrap();
    let request = PageRequest::new((Market::India, company), Some("M&M".to_owned()), []);
    assert_eq!(request.address(), "/india/company/M%26M");
}
