//! The files that pages load: one style, one script, one icon.

use std::sync::LazyLock;

use parquote_surface::asset::{Asset, AssetKind};
use parquote_surface::html_page::ICON;

const START: &str = "/assets/";

/// The colours of pictures, what all pages have, the explorer, then its pages in columns.
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

/// The script.
pub(super) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new(START, AssetKind::Script, include_str!("page.js")));

/// All of them; the icon is that of all pages of the server.
pub fn assets() -> [&'static Asset; 3] {
    [&STYLE, &SCRIPT, &ICON]
}
