//! The manual page: every operation with its parameters, fields, an example and a form to try it.
//! One file without any request but to this API; everything from declarations is escaped on its way in.

mod article;
mod html;

use std::fmt::Write as _;

use self::html::escape;
use super::router::ROOT;
use crate::engine::{ResultColumn, Snapshot};
use crate::operation::{Catalogue, Market, Operation};
use crate::surface::groups::groups;

/// The page for a snapshot.
pub(super) fn bytes(catalogue: &Catalogue, snapshot: &Snapshot) -> Vec<u8> {
    let dates = Market::ALL.map(|market| match snapshot.as_of(market) {
        Some(date) => format!("{market} as of {date}"),
        None => format!("{market}: none"),
    });
    page(catalogue, snapshot.id(), &dates.join(", "), |index| snapshot.columns(index)).into_bytes()
}

fn page<'a>(
    catalogue: &Catalogue,
    snapshot: &str,
    dates: &str,
    columns: impl Fn(usize) -> &'a [Vec<ResultColumn>],
) -> String {
    html::fill(include_str!("page.html"), |name| match name {
        "style" => include_str!("page.css").to_owned(),
        "script" => include_str!("page.js").to_owned(),
        "version" => env!("CARGO_PKG_VERSION").to_owned(),
        "routes" => catalogue.operations().iter().filter(|operation| operation.has_route).count().to_string(),
        "snapshot" => escape(snapshot),
        "dates" => escape(dates),
        "navigation" => navigation(catalogue),
        "operations" => operations(catalogue, &columns),
        _ => String::new(),
    })
}

fn navigation(catalogue: &Catalogue) -> String {
    let mut text = String::new();
    for group in groups(catalogue) {
        let _ = write!(text, "<div><h2>{}</h2>", escape(group.name));
        for (_, operation) in group.operations {
            let (id, title) = (anchor(operation), escape(&operation.title));
            let _ = write!(text, "<a href=\"#{id}\" title=\"{title}\">{}</a>", escape(&operation.name));
        }
        text.push_str("</div>");
    }
    text
}

fn operations<'a>(catalogue: &Catalogue, columns: &impl Fn(usize) -> &'a [Vec<ResultColumn>]) -> String {
    let mut text = String::new();
    for group in groups(catalogue) {
        let _ = write!(text, "<section class=\"of\"><h2 class=\"group\">{}</h2>", escape(group.name));
        for (index, operation) in group.operations {
            article::write(&mut text, operation, columns(index));
        }
        text.push_str("</section>\n");
    }
    text
}

/// The id of an operation's place on the page.
fn anchor(operation: &Operation) -> String {
    escape(&operation.name.replace('/', "-"))
}

/// The path under which an operation is asked.
fn path(operation: &Operation) -> String {
    format!("{ROOT}/{}", operation.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{ColumnType, Unit};
    use crate::surface::http::fixture;

    fn made() -> String {
        let column = ResultColumn {
            name: "pe".to_owned(),
            ty: ColumnType::Number,
            nullable: true,
            unit: Unit::Ratio,
            words: "Price <over> earnings.".to_owned(),
            fields: Vec::new(),
        };
        let columns = vec![vec![column]];
        page(&fixture::catalogue(), "abc\"<", "india as of 2026-01-02", |_| &columns)
    }

    #[test]
    fn every_operation_is_there_and_linked() {
        let page = made();
        for id in ["company-profile", "market-rs-changes", "screen-words", "status"] {
            assert!(page.contains(&format!("<article id=\"{id}\"")), "{id}");
            assert!(page.contains(&format!("href=\"#{id}\"")), "{id}");
        }
        assert!(!page.contains("{{"));
        assert!(page.contains("X-Api-Key: &lt;API_KEY&gt;") && page.contains("symbol=M%26M"));
    }

    #[test]
    fn what_is_declared_is_escaped() {
        let page = made();
        assert!(page.contains("what it is &lt;worth&gt;"));
        assert!(page.contains("Price &lt;over&gt; earnings."));
        assert!(page.contains("abc&quot;&lt;"));
        assert!(!page.contains("<worth>") && !page.contains("<over>"));
    }

    #[test]
    fn what_is_opened_is_closed() {
        let page = made();
        let count = |part: &str| page.matches(part).count();
        for tag in [
            "article", "section", "form", "table", "tr", "td", "div", "details", "select", "pre", "p", "a",
            "nav",
        ] {
            let opened = count(&format!("<{tag}>")) + count(&format!("<{tag} "));
            assert_eq!(opened, count(&format!("</{tag}>")), "{tag}");
        }
    }

    #[test]
    fn nothing_is_fetched_from_elsewhere() {
        let page = made();
        for part in ["src=", "@import", "https://"] {
            assert!(!page.contains(part), "{part}");
        }
        assert!(!include_str!("page.css").contains("url("));
    }
}
