//! The manual in HTML: a page of all operations with their parameters, fields, an example and a form to try it, and a page for each. It
//! loads nothing from elsewhere and has no inline script or style. Text of declarations is escaped; the policy is a second safeguard.

mod article;
mod assets;
mod page;

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Options, Parser};

use self::article::{ArticlePlace, article};
pub(super) use self::assets::assets;
use self::page::{Links, introduction, page};
use super::paths::{DOCS, ROOT};
use parquote_catalogue::operation::{Catalogue, Market, Operation};
use parquote_engine::{ResultColumn, Snapshot};
use parquote_explorer::moment::date;
use parquote_surface::asset::ColourScheme;
use parquote_surface::embedded_pages;
use parquote_surface::groups::groups;
use parquote_surface::guides::Guide;
use parquote_surface::served_symbols::with_served_symbols;

/// Renders the page of all operations for a snapshot.
pub(super) fn bytes(catalogue: &Catalogue, snapshot: &Snapshot, scheme: ColourScheme) -> Vec<u8> {
    let dates = Market::ALL.map(|market| match snapshot.as_of(market) {
        Some(day) => format!("{market} as of {}", date(day)),
        None => format!("{market}: none"),
    });
    let render = |operation: &Operation| {
        let shown = with_served_symbols(operation, snapshot);
        article(&shown, snapshot.columns(operation), ArticlePlace::AmongAll)
    };
    bytes_of(render_all(catalogue, snapshot.id(), &dates.join(", "), render, scheme))
}

/// Renders the page of one operation, whose example symbols are of the served data.
pub(super) fn render_operation(
    catalogue: &Catalogue,
    operation: &Operation,
    columns: &[Vec<ResultColumn>],
    scheme: ColourScheme,
) -> Vec<u8> {
    let answer = embedded_pages::answer(&operation.name);
    let content = article(operation, columns, ArticlePlace::Alone(answer));
    bytes_of(page(catalogue, &format!("{} - Parquote API", operation.title), Links::Away, scheme, &content))
}

pub(super) fn render_guide(catalogue: &Catalogue, guide: Guide, scheme: ColourScheme) -> Vec<u8> {
    let mut text = String::new();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    pulldown_cmark::html::push_html(&mut text, Parser::new_ext(guide.text, options));
    // The policy forbids inline styles.
    for side in ["left", "center", "right"] {
        text = text.replace(&format!(" style=\"text-align: {side}\""), &format!(" class=\"{side}\""));
    }
    // The guides are built in; the output of pulldown-cmark is HTML.
    let content = html! { article.guide { (PreEscaped(text)) } };
    bytes_of(page(catalogue, &format!("{} - Parquote API", guide.title), Links::Away, scheme, &content))
}

fn bytes_of(page: Markup) -> Vec<u8> {
    page.into_string().into_bytes()
}

/// Returns the path of a guide's page.
pub(super) fn guide_path(guide: Guide) -> String {
    format!("{DOCS}/guides/{}", guide.name)
}

fn render_all(
    catalogue: &Catalogue,
    snapshot: &str,
    dates: &str,
    render: impl Fn(&Operation) -> Markup,
    scheme: ColourScheme,
) -> Markup {
    let routes = catalogue.operations().iter().filter(|operation| operation.has_route).count();
    let content = html! {
        (introduction(routes, snapshot, dates))
        @for group in groups(catalogue) {
            section.of {
                h2.group { (group.name) }
                @for operation in group.operations {
                    (render(operation))
                }
            }
        }
    };
    page(catalogue, "Parquote API", Links::Within, scheme, &content)
}

/// Returns the anchor of an operation on the page.
fn anchor(operation: &Operation) -> String {
    operation.name.replace('/', "-")
}

pub(super) fn page_path(operation: &Operation) -> String {
    format!("{DOCS}/{}", operation.name)
}

/// Returns the path of an operation's route.
fn path(operation: &Operation) -> String {
    format!("{ROOT}/{}", operation.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use parquote_catalogue::operation::{ColumnType, Unit};
    use parquote_surface::guides::guides;

    fn columns() -> Vec<Vec<ResultColumn>> {
        vec![vec![ResultColumn {
            name: "pe".to_owned(),
            ty: ColumnType::Number,
            nullable: true,
            unit: Unit::Ratio,
            words: "Price <over> earnings.".to_owned(),
            fields: Vec::new(),
        }]]
    }

    fn rendered_page() -> String {
        let columns = columns();
        render_all(
            &fixture::catalogue(),
            "abc\"<",
            "india as of 2 Jan 2026",
            |operation| article(operation, &columns, ArticlePlace::AmongAll),
            ColourScheme::Auto,
        )
        .into_string()
    }

    fn rendered_alone() -> String {
        let catalogue = fixture::catalogue();
        let operation = catalogue.operation("company/profile").unwrap();
        String::from_utf8(render_operation(&catalogue, operation, &columns(), ColourScheme::Auto)).unwrap()
    }

    #[test]
    fn every_operation_is_there_and_linked() {
        let page = rendered_page();
        for id in ["company-profile", "market-rs-changes", "screen-words", "status"] {
            assert!(page.contains(&format!("<article id=\"{id}\"")), "{id}");
            assert!(page.contains(&format!("href=\"#{id}\"")), "{id}");
        }
        assert!(page.contains("X-Api-Key: &lt;API_KEY&gt;") && page.contains("symbol=M%26M"));
    }

    #[test]
    fn what_is_declared_is_escaped() {
        let (all, alone) = (rendered_page(), rendered_alone());
        assert!(all.contains("what it is &lt;worth&gt;") && all.contains("abc&quot;&lt;"));
        assert!(alone.contains("Price &lt;over&gt; earnings."));
        for page in [all, alone] {
            assert!(!page.contains("<worth>") && !page.contains("<over>"));
        }
    }

    #[test]
    fn a_page_of_its_own_has_refusals_and_ways_on() {
        let page = rendered_alone();
        for part in [
            "<title>Profile of a company - Parquote API</title>",
            "href=\"/v1/docs/company/profile.md\"",
            "href=\"/v1/docs#company-profile\"",
            "href=\"/v1/docs/market/rs-changes\"",
            "<code>404</code>",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert_eq!(page.matches("<article").count(), 1);
    }

    #[test]
    fn what_is_opened_is_closed() {
        const TAGS: [&str; 15] = [
            "article", "section", "form", "table", "tr", "td", "div", "details", "select", "label", "pre",
            "p", "a", "nav", "option",
        ];
        let (page, alone) = (rendered_page(), rendered_alone());
        for (page, tag) in [&page, &alone].into_iter().flat_map(|page| TAGS.map(|tag| (page, tag))) {
            let count = |part: &str| page.matches(part).count();
            let opened = count(&format!("<{tag}>")) + count(&format!("<{tag} "));
            assert_eq!(opened, count(&format!("</{tag}>")), "{tag}");
        }
    }

    #[test]
    fn nothing_is_fetched_from_elsewhere() {
        let page = rendered_page();
        for part in ["@import", "https://"] {
            assert!(!page.contains(part), "{part}");
        }
        assert_eq!(page.matches("src=").count(), page.matches("src=\"/v1/docs/page-").count());
        assert!(!include_str!("page.css").contains("url("));
    }

    /// The policy of the pages forbids these, and a browser would drop them silently.
    #[test]
    fn nothing_in_a_page_is_run_or_styled() {
        let catalogue = fixture::catalogue();
        let operation = catalogue.operation("company/profile").unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let guides = guides().map(|guide| text(render_guide(&catalogue, guide, ColourScheme::Auto)));
        for page in [rendered_page(), text(render_operation(&catalogue, operation, &[], ColourScheme::Auto))]
            .into_iter()
            .chain(guides)
        {
            for part in ["<style", " style=", "<script>", "javascript:", " onclick", " onload", " onerror"] {
                assert!(!page.contains(part), "{part}");
            }
            assert_eq!((page.matches("<script").count(), page.matches("rel=\"stylesheet\"").count()), (1, 1));
        }
        for part in ["setAttribute(\"style", "innerHTML", "eval(", "document.write"] {
            assert!(assets().all(|asset| !asset.text.contains(part)), "{part}");
        }
    }
}
