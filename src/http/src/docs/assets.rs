//! The style and the script of the manual's pages, served as files, so that the policy of the pages can forbid inline style and script.

use std::sync::LazyLock;

use parquote_surface::asset::{Asset, AssetKind, StyleSheet};

const START: &str = "/v1/docs/page-";

/// The style of all pages, followed by the style of the manual.
pub(super) static STYLE: LazyLock<StyleSheet> = LazyLock::new(|| {
    StyleSheet::new(
        START,
        concat!(include_str!("../../../surface/src/html_page.css"), include_str!("page.css")),
    )
});

pub(super) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new(START, AssetKind::Script, include_str!("page.js")));

/// Returns the style in all colour schemes, and the script.
pub(crate) fn assets() -> impl Iterator<Item = &'static Asset> {
    STYLE.files().chain([&*SCRIPT])
}
