//! Files that pages load: one style, one script, one icon; and the interactive chart, which a page with one loads after that. The portal has
//! the same style.

use std::sync::LazyLock;

use parquote_picture::theme::PAGE_COLOURS;
use parquote_surface::asset::{Asset, AssetKind, StyleSheet};
use parquote_surface::html_page::ICON;

const START: &str = "/assets/";

/// Style sheet: the colours of pictures, the shared part, the explorer, its bar, its columns, its screens, its lists and its messages, and the
/// portal.
pub(super) static STYLE: LazyLock<StyleSheet> = LazyLock::new(|| {
    let text = [
        PAGE_COLOURS,
        include_str!("../../picture/src/page.css"),
        include_str!("../../surface/src/html_page.css"),
        include_str!("page.css"),
        include_str!("bar.css"),
        include_str!("columns.css"),
        include_str!("screen.css"),
        include_str!("lists.css"),
        include_str!("answers.css"),
        include_str!("portal/portal.css"),
    ];
    StyleSheet::new(START, &text.concat())
});

/// The script, without the lines of its source that are comments.
pub(super) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new(START, AssetKind::Script, without_comments(include_str!("page.js")).leak()));

/// The interactive chart: the library with its licence in its head, then the code that draws the figures of a picture with the library.
pub(super) static LIVE_CHART: LazyLock<Asset> = LazyLock::new(|| {
    let library = include_str!("lightweight_charts/lightweight-charts.standalone.production.js");
    let text = format!("{library}\n{}", without_comments(include_str!("live_chart.js")));
    Asset::new(START, AssetKind::Script, text.leak())
});

/// Returns a script without the lines that are comments.
fn without_comments(script: &str) -> String {
    let is_code = |line: &&str| !line.starts_with("//") && !line.starts_with("/**");
    script.lines().map(str::trim).filter(is_code).collect::<Vec<_>>().join("\n")
}

/// Returns all files; the icon is shared by all pages of the server.
pub fn assets() -> impl Iterator<Item = &'static Asset> {
    STYLE.files().chain([&*SCRIPT, &*LIVE_CHART, &*ICON])
}
