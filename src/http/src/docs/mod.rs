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

/// Renders the page of all operations for a snapshot.
pub(super) fn bytes(catalogue: &Catalogue, snapshot: &Snapshot, scheme: ColourScheme) -> Vec<u8> {
    let dates = Market::ALL.map(|market| match snapshot.as_of(market) {
        Some(day) => format!("{market} as of {}", date(day)),
        None => format!("{market}: none"),
    });
    let columns = |operation: &Operation| snapshot.columns(operation);
    bytes_of(render_all(catalogue, snapshot.id(), &dates.join(", "), columns, scheme))
}

/// Renders the page of one operation.
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

/// Renders the page of a guide.
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

fn render_all<'a>(
    catalogue: &Catalogue,
    snapshot: &str,
    dates: &str,
    columns: impl Fn(&Operation) -> &'a [Vec<ResultColumn>],
    scheme: ColourScheme,
) -> Markup {
    let routes = catalogue.operations().iter().filter(|operation| operation.has_route).count();
    let content = html! {
        (introduction(routes, snapshot, dates))
        @for group in groups(catalogue) {
            section.of {
                h2.group { (group.name) }
                @for operation in group.operations {
                    (article(operation, columns(operation), ArticlePlace::AmongAll))
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
        render_all(
            &fixture::catalogue(),
            "abc\"<",
            "india as of 2 Jan 2026",
            |_| &columns,
            ColourScheme::Auto,
        )
        .into_string()
    }

    #[test]
    fn every_operation_is_there_and_linked() {
        let page = made();
        for id in ["company-profile", "market-rs-changes", "screen-words", "status"] {
            assert!(page.contains(&format!("<article id=\"{id}\"")), "{id}");
            assert!(page.contains(&format!("href=\"#{id}\"")), "{id}");
        }
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
    fn a_page_of_its_own_has_refusals_and_ways_on() {
        let catalogue = fixture::catalogue();
        let operation = catalogue.operation("company/profile").unwrap();
        let page =
            String::from_utf8(render_operation(&catalogue, operation, &[], ColourScheme::Auto)).unwrap();
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
        let page = made();
        let catalogue = fixture::catalogue();
        let operation = catalogue.operation("company/profile").unwrap();
        let alone =
            String::from_utf8(render_operation(&catalogue, operation, &[], ColourScheme::Auto)).unwrap();
        for (page, tag) in [&page, &alone].into_iter().flat_map(|page| TAGS.map(|tag| (page, tag))) {
            let count = |part: &str| page.matches(part).count();
            let opened = count(&format!("<{tag}>")) + count(&format!("<{tag} "));
            assert_eq!(opened, count(&format!("</{tag}>")), "{tag}");
        }
    }

    #[test]
    fn nothing_is_fetched_from_elsewhere() {
        let page = made();
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
        for page in [made(), text(render_operation(&catalogue, operation, &[], ColourScheme::Auto))]
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
