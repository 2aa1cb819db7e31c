//! The style and the script of the manual's pages, served as files, so that the policy of the pages can forbid inline style and script.

use std::sync::LazyLock;

use super::super::paths::DOCS;
use parquote_surface::asset::{Asset, AssetKind};

/// The style of all pages, then that of the manual.
pub(super) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    asset(
        AssetKind::Style,
        concat!(include_str!("../../../surface/src/html_page.css"), include_str!("page.css")),
    )
});

pub(super) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| asset(AssetKind::Script, include_str!("page.js")));

/// Returns the style and the script.
pub(crate) fn assets() -> [&'static Asset; 2] {
    [&STYLE, &SCRIPT]
}

fn asset(kind: AssetKind, text: &'static str) -> Asset {
    Asset::new(&format!("{DOCS}/page-"), kind, text)
}
