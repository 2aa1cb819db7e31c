//! Files that pages load: one style, one script, one icon.

use std::sync::LazyLock;

use parquote_surface::asset::{Asset, AssetKind};
use parquote_surface::html_page::ICON;

const START: &str = "/assets/";

/// Style sheet: the colours of pictures, the shared part, the explorer, its columns and its screens.
pub(super) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let text = concat!(
        include_str!("../../picture/src/page.css"),
        include_str!("../../surface/src/html_page.css"),
        include_str!("page.css"),
        include_str!("columns.css"),
        include_str!("screen.css")
    );
    Asset::new(START, AssetKind::Style, text)
});

pub(super) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new(START, AssetKind::Script, include_str!("page.js")));

/// Returns all files; the icon is shared by all pages of the server.
pub fn assets() -> [&'static Asset; 3] {
    [&STYLE, &SCRIPT, &ICON]
}
