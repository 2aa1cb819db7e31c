//! Links to the explorer page that shows what a chart draws.

use percent_encoding::utf8_percent_encode;
use url::form_urlencoded::Serializer;

use parquote_catalogue::operation::{Operation, Presentation};
use parquote_picture::sheet::RESERVED;

/// Parameters of the operation that the page takes under the same names.
#[derive(Debug, Clone, Copy)]
enum PageQuery {
    /// None.
    Nothing,
    /// These.
    Named(&'static [&'static str]),
    /// All.
    Every,
}

/// Parameters of `explore/screen` that the screener takes.
const SCREENED_BY: &[&str] = &[
    "sector",
    "industry",
    "min_mcap",
    "max_mcap",
    "max_pe",
    "min_roce",
    "min_roe",
    "min_opm",
    "max_de",
    "min_growth",
    "min_rs",
    "stage",
    "min_score",
    "sort_by",
    "sort_dir",
];

/// Operations by their name in India, and the path of their page below the market.
const PAGES: [(&str, &str, PageQuery); 24] = [
    ("company/daily-prices", "company/{symbol}", PageQuery::Nothing),
    ("company/financials", "company/{symbol}/financials", PageQuery::Named(&["period", "statement"])),
    ("company/pledge-history", "company/{symbol}/ownership", PageQuery::Nothing),
    ("company/shareholding", "company/{symbol}/ownership", PageQuery::Nothing),
    ("explore/breadth", "breadth", PageQuery::Named(&["range"])),
    (
        "explore/chart",
        "company/{symbol}",
        PageQuery::Named(&[
            "range", "from", "to", "bars", "scale", "mean_10", "mean_21", "mean_50", "mean_200",
        ]),
    ),
    ("explore/compare", "compare", PageQuery::Named(&["symbols", "range"])),
    ("explore/heat-map", "heat", PageQuery::Every),
    ("explore/index-chart", "indices", PageQuery::Named(&["index", "range"])),
    ("explore/indices", "indices", PageQuery::Named(&["index"])),
    ("explore/rotation", "rotation", PageQuery::Every),
    ("explore/rs-changes", "rs-changes", PageQuery::Every),
    ("explore/screen", "screener", PageQuery::Named(SCREENED_BY)),
    ("explore/sector-ratios", "company/{symbol}/ratios", PageQuery::Nothing),
    ("explore/year-highs", "breadth", PageQuery::Nothing),
    ("market/breadth", "breadth", PageQuery::Nothing),
    ("market/index-constituents", "indices", PageQuery::Named(&["index", "index_name"])),
    ("market/industry-stages", "industries", PageQuery::Every),
    ("market/momentum", "leaders", PageQuery::Every),
    ("market/rrg", "rotation", PageQuery::Every),
    ("market/rs-changes", "rs-changes", PageQuery::Every),
    ("market/sectors", "sectors", PageQuery::Nothing),
    ("market/top-movers", "movers", PageQuery::Every),
    ("screener", "screener", PageQuery::Nothing),
];

/// Returns the path of the page that shows an operation called with these pairs; `None` if there is none.
pub(super) fn page(operation: &Operation, pairs: &[(String, String)]) -> Option<String> {
    let name = operation.name.strip_prefix("us/").unwrap_or(&operation.name);
    let (_, path, kept) = PAGES.iter().find(|(known, ..)| *known == name)?;
    let mut path = format!("/{}/{path}", operation.market.word());
    if path.contains("{symbol}") {
        let (_, symbol) = pairs.iter().find(|(name, _)| name == "symbol")?;
        let symbol = symbol.trim().to_uppercase();
        path = path.replace("{symbol}", &utf8_percent_encode(&symbol, RESERVED).to_string());
    }
    let is_kept = |name: &str| match kept {
        PageQuery::Nothing => false,
        PageQuery::Named(names) => names.contains(&name),
        PageQuery::Every => !Presentation::is_asked_with(name),
    };
    let mut query = Serializer::new(String::new());
    for (name, value) in pairs.iter().filter(|(name, value)| is_kept(name) && !value.trim().is_empty()) {
        match name.as_str() {
            // Pages write ranges in upper case: 6M.
            "range" | "window" => query.append_pair(name, &value.trim().to_uppercase()),
            "bars" | "scale" => query.append_pair(name, &capitalised(value.trim())),
            "index_name" => query.append_pair("index", value),
            _ => query.append_pair(name, value),
        };
    }
    let query = query.finish();
    Some(if query.is_empty() { path } else { format!("{path}?{query}") })
}

/// Capitalizes a choice as pages do: Weekly.
fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquote_catalogue::operation::Catalogue;
    use parquote_explorer::pages::ExplorerPages;

    fn page_link(name: &str, pairs: &[(&str, &str)]) -> Option<String> {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        let pairs: Vec<_> = pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        page(catalogue.operation(name).unwrap(), &pairs)
    }

    #[test]
    fn a_page_takes_the_parameters_that_it_knows() {
        let chart = page_link("explore/chart", &[("symbol", " m&m"), ("range", "6m"), ("theme", "dark")]);
        assert_eq!(chart.as_deref(), Some("/india/company/M%26M?range=6M"));
        let rotation = page_link("market/rrg", &[("as_of", "1m"), ("snapshot", "3")]);
        assert_eq!(rotation.as_deref(), Some("/india/rotation?as_of=1m"));
        let members = page_link("us/market/index-constituents", &[("index_name", "S&P 500"), ("limit", "")]);
        assert_eq!(members.as_deref(), Some("/us/indices?index=S%26P+500"));
        assert_eq!(page_link("explore/chart", &[]), None);
    }

    #[test]
    fn every_operation_with_a_picture_has_a_page() {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        for operation in catalogue.operations().iter().filter(|operation| operation.has_picture()) {
            let symbol = [("symbol".to_owned(), "A".to_owned())];
            assert!(page(operation, &symbol).is_some(), "{}", operation.name);
        }
        let pages = ExplorerPages::from_catalogue(&catalogue).unwrap();
        for (name, path, _) in PAGES {
            assert!(pages.find(path).is_some(), "the explorer has no {path}");
            assert!(catalogue.operation(name).is_some_and(|operation| operation.has_picture()), "{name}");
        }
    }
}
