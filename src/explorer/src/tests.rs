//! Declarations of pages: those that are built in, and mistakes in others.

use std::sync::Arc;

use super::pages::ExplorerPages;
use super::request::{MarketPage, PageRequest};
use parquote_catalogue::operation::{Catalogue, Market};

fn catalogue() -> Catalogue {
    Catalogue::with_overlay(&[]).unwrap()
}

#[test]
fn every_page_is_in_a_market_and_found_by_its_path() {
    let pages = ExplorerPages::from_catalogue(&catalogue()).unwrap();
    assert_eq!(pages.iter().count(), 42);
    for page in pages.iter() {
        let markets: Vec<Market> = Market::ALL.into_iter().filter(|market| page.is_in(*market)).collect();
        assert!(!markets.is_empty(), "{} is in no market", page.path);
        for market in markets {
            let path = page.path.replace("{symbol}", "M&M");
            let (found, symbol) = pages.at(market, &path).unwrap();
            assert_eq!((&found.path, symbol.is_some()), (&page.path, page.has_symbol()));
        }
    }
    for lost in ["company/", "company/A/B", "company/A/nothing", "leader", "screener/x"] {
        assert!(pages.at(Market::India, lost).is_none(), "{lost}");
    }
    assert_eq!(pages.at(Market::Us, "company/ABC/ratios").unwrap().1, Some("ABC"));
}

#[test]
fn a_mistake_in_a_page_is_told_at_its_line() {
    let catalogue = catalogue();
    let shipped = catalogue.declarations("pages/compare.toml").next().unwrap().1;
    let said = |from: &str, to: &str| {
        assert!(shipped.contains(from), "{from}");
        let text = shipped.replacen(from, to, 1);
        let mistakes =
            ExplorerPages::from_files(&catalogue, [("pages/mine.toml", text.as_str())].into_iter())
                .unwrap_err();
        let [mistake] = mistakes.as_slice() else { panic!("{mistakes:?}") };
        (text.lines().nth(mistake.line - 1).unwrap().to_owned(), mistake.message.clone())
    };
    let (line, message) = said("\"explore/compare\"", "\"explore/compar\"");
    assert!(
        line.contains("explore/compar") && message.contains("did you mean `explore/compare`?"),
        "{message}"
    );
    let (line, message) = said("range = \"$choice.range\"", "rang = \"$choice.range\"");
    assert!(line.contains("rang =") && message.contains("no parameter `rang`; did you mean `range`?"));
    assert!(said("$choice.range", "$choice.span").1.contains("no choice `span`"));
    assert!(said("$choice.range", "$chosen.range").1.contains("no source of an argument"));
    assert!(said("[\"1Y\", \"1y\"]", "[\"1Y\", \"1 year\"]").1.contains("`range`"));
    assert!(said("side_by_side", "side_by_sid").1.contains("did you mean `side_by_side`"));
    assert!(said("place =", "plce =").1.contains("unknown field `plce`"));
    let (line, message) = said("choices = \"range\"", "choices = \"bars\"");
    assert!(line.contains("bars") && message.contains("no choice `bars`"));
    let action = "[{ action = { operation = \"market/leaders\", then = \"x\" } }, ";
    assert!(said("views = [", &format!("views = {action}")).1.contains("that changes something"));
    assert!(said("place =", "tabs_of = \"compar\"\nplace =").1.contains("no page `compar`"));
}

#[test]
fn an_address_holds_what_is_asked_and_nothing_else() {
    let pages = Arc::new(ExplorerPages::from_catalogue(&catalogue()).unwrap());
    let place = |path: &str| MarketPage {
        market: Market::India,
        page: Arc::clone(pages.find(path).unwrap()),
        pages: Arc::clone(&pages),
    };
    let pairs = [
        ("min_roe", "15"),
        ("max_pe", " "),
        ("sector", "Oil, Gas & Fuels"),
        ("fields", "a"),
        ("fields", "b"),
    ];
    let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let request = PageRequest::new(&place("screener"), None, pairs);
    assert_eq!(request.address(), "/india/screener?min_roe=15&sector=Oil%2C+Gas+%26+Fuels&fields=a%2Cb");
    assert_eq!(
        request.with(&[("sector", None), ("fields", None), ("min_roe", Some("20"))]),
        "/india/screener?min_roe=20"
    );
    let request = PageRequest::new(&place("company/{symbol}"), Some("M&M".to_owned()), []);
    assert_eq!(request.address(), "/india/company/M%26M");
}
