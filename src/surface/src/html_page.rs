//! The frame of every HTML document of the server: language, character set, title, icon, style, script, and the skip link. The layouts of
//! the explorer, the portal and the manual provide the body.

use std::sync::LazyLock;

use maud::{DOCTYPE, Markup, html};

use super::asset::{Asset, AssetKind, ColourScheme, StyleSheet};

/// Icon of all pages.
pub static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("/assets/", AssetKind::Icon, include_str!("icon.svg")));

/// Id of the element with the content of a page. Every layout has one; the skip link leads there.
pub const MAIN_ID: &str = "main";

/// The head of a document.
pub struct HtmlPage<'a> {
    /// Title of the document, complete.
    pub title: &'a str,
    /// Style sheet of the page.
    pub style: &'a StyleSheet,
    /// Colours that the reader chose.
    pub scheme: ColourScheme,
    /// Script of the page, which runs after the document is parsed.
    pub script: &'a Asset,
}

impl HtmlPage<'_> {
    /// Renders the whole document around its body.
    pub fn around(&self, body: &Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content=(self.scheme.meta_content());
                    title { (self.title) }
                    link rel="icon" href=(ICON.path) type=(ICON.content_type);
                    link rel="stylesheet" href=(self.style.file(self.scheme).path);
                    script src=(self.script.path) defer {}
                }
                body {
                    a.skip href={ "#" (MAIN_ID) } { "Skip to content" }
                    (body)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_names_its_files_and_escapes_its_title() {
        let style = StyleSheet::new("/a/", "p{}");
        let script = Asset::new("/a/", AssetKind::Script, "1");
        let page = HtmlPage { title: "A < B", style: &style, scheme: ColourScheme::Light, script: &script };
        let text = page.around(&html! { main id=(MAIN_ID) { "x" } }).into_string();
        assert!(
            text.starts_with("<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">"),
            "{text}"
        );
        let style = &style.file(ColourScheme::Light).path;
        for part in ["<title>A &lt; B</title>", "content=\"light\"", style, &script.path, &ICON.path] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(
            text.contains("<a class=\"skip\" href=\"#main\">Skip to content</a><main id=\"main\">x"),
            "{text}"
        );
    }
}
