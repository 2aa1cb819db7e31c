//! Declarations of pages: those that are built in, and mistakes in others.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::pages::ExplorerPages;
use super::plan::calls;
use super::request::{MarketPage, PageRequest};
use super::spec::Argument;
use parquote_catalogue::operation::{Catalogue, Market};

fn catalogue() -> Catalogue {
    Catalogue::with_overlay(&[]).unwrap()
}

#[test]
fn every_page_is_in_a_market_and_found_by_its_path() {
    let pages = ExplorerPages::from_catalogue(&catalogue()).unwrap();
    assert_eq!(pages.iter().count(), 50);
    let places: BTreeSet<u32> = pages.iter().map(|page| page.place).collect();
    assert_eq!(places.len(), 50);
    for page in pages.iter() {
        let markets: Vec<Market> = Market::ALL.into_iter().filter(|market| page.is_in(*market)).collect();
        assert!(!markets.is_empty(), "{} is in no market", page.path);
        for market in markets {
            let path = page.path.replace("{symbol}", "M&M");
            let (found, symbol) = pages.page_at(market, &path).unwrap();
            assert_eq!((&found.path, symbol.is_some()), (&page.path, page.has_symbol()));
        }
    }
    for lost in ["company/", "company/A/B", "company/A/nothing", "leader", "screener/x"] {
        assert!(pages.page_at(Market::India, lost).is_none(), "{lost}");
    }
    assert_eq!(pages.page_at(Market::Us, "company/ABC/ratios").unwrap().1, Some("ABC"));
}

#[test]
fn a_mistake_in_a_page_is_reported_at_its_line() {
    let catalogue = catalogue();
    let shipped = catalogue.declarations("pages/compare.toml").next().unwrap().1;
    let mistake = |from: &str, to: &str| {
        assert!(shipped.contains(from), "{from}");
        let text = shipped.replacen(from, to, 1);
        let mistakes =
            ExplorerPages::from_files(&catalogue, [("pages/mine.toml", text.as_str())].into_iter())
                .unwrap_err();
        let [mistake] = mistakes.as_slice() else { panic!("{mistakes:?}") };
        (text.lines().nth(mistake.line - 1).unwrap().to_owned(), mistake.message.clone())
    };
    let (line, message) = mistake("\"explore/compare\"", "\"explore/compar\"");
    assert!(
        line.contains("explore/compar") && message.contains("did you mean `explore/compare`?"),
        "{message}"
    );
    let (line, message) = mistake("range = \"$choice.range\"", "rang = \"$choice.range\"");
    assert!(line.contains("rang =") && message.contains("no parameter `rang`; did you mean `range`?"));
    assert!(mistake("$choice.range", "$choice.span").1.contains("no choice `span`"));
    assert!(mistake("$choice.range", "$chosen.range").1.contains("no source of an argument"));
    assert!(mistake("[\"1Y\", \"1y\"]", "[\"1Y\", \"1 year\"]").1.contains("`range`"));
    assert!(mistake("views = [", "views = [\"files\", ").1.contains("explore/compare has no workbook"));
    assert!(mistake("side_by_side", "side_by_sid").1.contains("did you mean `side_by_side`"));
    assert!(mistake("place =", "plce =").1.contains("unknown field `plce`"));
    let (line, message) = mistake("choices = \"range\"", "choices = \"bars\"");
    assert!(line.contains("bars") && message.contains("no choice `bars`"));
    let action = "[{ action = { operation = \"market/leaders\", then = \"x\" } }, ";
    assert!(mistake("views = [", &format!("views = {action}")).1.contains("that changes something"));
    let drawn = |picture: &str| {
        mistake("views = [", &format!("views = [{{ drawn = {{ table = [], picture = '{picture}' }} }}, ")).1
    };
    assert!(drawn("graph date=session").contains("`graph` is not a kind of picture"));
    assert!(drawn("compare date=session value=close").contains("`rows=equity`"));
    assert!(drawn("compare rows=a date=session value=close").contains("has no column `a.session`"));
    for key in ["tabs_of", "begins_as"] {
        assert!(mistake("place =", &format!("{key} = \"compar\"\nplace =")).1.contains("no page `compar`"));
    }
    let part = "[[part]]\nid = \"bars\"\n";
    for (keys, idle) in [
        ("order = \"-close\"", "unknown field `order`"),
        ("operation = \"market/breadth\"\narguments = { order = \"-close\" }", "no parameter `order`"),
        ("operation = \"market/breadth\"\nmarket = \"usa\"", "`usa` is not a market"),
        (
            "operation = \"market/breadth\"\nmarket = \"india\"\nus = \"us/market/breadth\"",
            "`us` has no effect",
        ),
        (
            "operation = \"market/breadth\"\nmarket = \"india\"\nus_arguments = {}",
            "`us_arguments` has no effect",
        ),
        (
            "operation = \"market/breadth\"\nmarket = \"us\"\nus = \"us/market/breadth\"",
            "`operation` has no effect",
        ),
    ] {
        let (line, message) = mistake("[[part]]", &format!("{part}{keys}\n\n[[part]]"));
        assert!(message.contains(idle), "{message}");
        let last =
            if idle.starts_with("`operation`") { "operation" } else { keys.rsplit('\n').next().unwrap() };
        assert!(line.starts_with(last.split(' ').next().unwrap()), "{line}: {message}");
    }
    let choice =
        "[[choice]]\nname = \"order\"\nlabel = \"A\"\ndefault = \"a\"\nwords = [[\"a\", \"1\"]]\n\n[[part]]";
    assert_eq!(mistake("[[part]]", choice).0, "name = \"order\"");
    let (line, message) = mistake("[[part]]", &choice.replace("order", "unused"));
    assert_eq!(line, "name = \"unused\"");
    assert!(message.contains("`unused` has no effect"), "{message}");
}

/// Built-in pages skip the checks, as a user-written operation may lack what they show. Here an added newline makes them user-written.
#[test]
fn built_in_pages_pass_the_checks_of_user_written_ones() {
    let catalogue = catalogue();
    let texts = catalogue.declarations("pages/").map(|(file, text)| (file, format!("{text}\n")));
    let texts: Vec<(&str, String)> = texts.collect();
    let files = texts.iter().map(|(file, text)| (*file, text.as_str()));
    assert_eq!(ExplorerPages::from_files(&catalogue, files).unwrap().iter().count(), texts.len());
    assert!(texts.len() > 40);
}

#[test]
fn an_address_holds_what_is_asked_and_nothing_else() {
    let pages = Arc::new(ExplorerPages::from_catalogue(&catalogue()).unwrap());
    let market_page = |path: &str| MarketPage {
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
    let request = PageRequest::new(&market_page("screener"), None, pairs);
    assert_eq!(request.address(), "/india/screener?min_roe=15&sector=Oil%2C+Gas+%26+Fuels&fields=a%2Cb");
    assert_eq!(
        request.address_with(&[("sector", None), ("fields", None), ("min_roe", Some("20"))]),
        "/india/screener?min_roe=20"
    );
    let request = PageRequest::new(&market_page("company/{symbol}"), Some("M&M".to_owned()), []);
    assert_eq!(request.address(), "/india/company/M%26M");
}

#[test]
fn a_list_of_several_sources_leaves_out_those_without_a_value() {
    let catalogue = catalogue();
    let pages = Arc::new(ExplorerPages::from_catalogue(&catalogue).unwrap());
    let market_page = MarketPage {
        market: Market::India,
        page: Arc::clone(pages.find("company/{symbol}/chart").unwrap()),
        pages,
    };
    let compared = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let request = PageRequest::new(&market_page, Some("M&M".to_owned()), pairs);
        let calls = calls(&catalogue, &request);
        let call = calls.iter().find(|call| call.operation.name == "explore/compare").unwrap();
        call.pairs.iter().find(|(name, _)| name == "symbols").unwrap().1.clone()
    };
    assert_eq!(compared(&[]), "M&M");
    assert_eq!(compared(&[("compare_with", "ABC, DEF")]), "M&M,ABC, DEF");
    assert!(Argument::parse("$symbol,$query.more").is_ok());
    assert!(Argument::parse("$symbol,$chosen.more").unwrap_err().contains("`$chosen.more` is no source"));
    assert_eq!(Argument::parse("a,b"), Ok(Argument::Fixed("a,b".to_owned())));
}

#[test]
fn a_table_of_stocks_adds_its_bars_once_and_in_its_own_market() {
    let catalogue = catalogue();
    let pages = ExplorerPages::from_catalogue(&catalogue).unwrap();
    let ids = |page: &str| -> Vec<String> {
        pages.find(page).unwrap().parts.iter().map(|part| part.id.clone()).collect()
    };
    assert_eq!(ids("earnings"), ["list", "bars"]);
    assert!(!pages.find("earnings").unwrap().is_in(Market::Us));
    assert_eq!(ids("screener"), ["screen", "bars"]);
    assert_eq!(ids("deals"), ["feed"]);
    // A page that declares the bars itself is complete.
    let own = "title = \"Mine\"\nplace = 99\n[[part]]\nid = \"list\"\noperation = \"market/momentum\"\n\
               views = [{ stocks = { columns = [\"symbol\"] } }]\n[[part]]\nid = \"bars\"\n\
               operation = \"explore/sparks\"\narguments = { symbols = \"$shown.symbol\" }\n";
    let own = ExplorerPages::from_files(&catalogue, [("pages/mine.toml", own)].into_iter()).unwrap();
    assert_eq!(own.find("mine").unwrap().parts.len(), 2);
    // Tables of two markets have bars in both.
    let part = |id: &str, market: &str| {
        format!(
            "[[part]]\nid = \"{id}\"\noperation = \"market/momentum\"\nmarket = \"{market}\"\n\
             views = [{{ stocks = {{ columns = [\"symbol\"] }} }}]\n"
        )
    };
    let two = format!("title = \"Two\"\nplace = 98\n{}{}", part("here", "india"), part("there", "us"));
    let two = ExplorerPages::from_files(&catalogue, [("pages/two.toml", two.as_str())].into_iter()).unwrap();
    let bars = two.find("two").unwrap().parts.last().unwrap();
    assert!(bars.id == "bars" && Market::ALL.into_iter().all(|market| bars.call(market).is_some()));
}
