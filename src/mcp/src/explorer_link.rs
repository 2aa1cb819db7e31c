//! Links to the explorer page that shows what a chart draws.

use percent_encoding::utf8_percent_encode;
use url::form_urlencoded::Serializer;

use parquote_catalogue::operation::Operation;
use parquote_picture::sheet::RESERVED;

/// Returns the path of the page that shows an operation called with these pairs; `None` if there is none.
pub(super) fn page(operation: &Operation, pairs: &[(String, String)]) -> Option<String> {
    let page = operation.page.as_ref()?;
    let mut path = format!("/{}/{}", operation.market.word(), page.path);
    if path.contains("{symbol}") {
        let (_, symbol) = pairs.iter().find(|(name, _)| name == "symbol")?;
        let symbol = symbol.trim().to_uppercase();
        path = path.replace("{symbol}", &utf8_percent_encode(&symbol, RESERVED).to_string());
    }
    let mut query = Serializer::new(String::new());
    let is_page_param = |name: &String, value: &str| page.params.contains(name) && !value.trim().is_empty();
    for (name, value) in pairs.iter().filter(|(name, value)| is_page_param(name, value)) {
        match name.as_str() {
            // Pages write ranges in upper case: 6M.
            "range" | "window" => query.append_pair(name, &value.trim().to_uppercase()),
            "bars" | "scale" => query.append_pair(name, &capitalise(value.trim())),
            "index_name" => query.append_pair("index", value),
            _ => query.append_pair(name, value),
        };
    }
    let query = query.finish();
    Some(if query.is_empty() { path } else { format!("{path}?{query}") })
}

/// Capitalizes a choice as pages do: Weekly.
fn capitalise(word: &str) -> String {
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
        for path in catalogue.operations().iter().filter_map(|operation| Some(&operation.page.as_ref()?.path))
        {
            assert!(pages.find(path).is_some(), "the explorer has no {path}");
        }
    }
}
