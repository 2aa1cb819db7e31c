//! The style and the script of the manual's pages: files of their own, so that the pages may forbid all that stands in them
//! beside words.

use std::sync::LazyLock;

use super::super::paths::DOCS;
use parquote_surface::asset::{Asset, AssetKind};

/// What all pages have, then the style of the manual.
pub(super) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    asset(
        AssetKind::Style,
        concat!(include_str!("../../../surface/src/html_page.css"), include_str!("page.css")),
    )
});

/// The script.
pub(super) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| asset(AssetKind::Script, include_str!("page.js")));

/// All of them.
pub(crate) fn assets() -> [&'static Asset; 2] {
    [&STYLE, &SCRIPT]
}

fn asset(kind: AssetKind, text: &'static str) -> Asset {
    Asset::new(&format!("{DOCS}/page-"), kind, text)
}
