//! The files that the portal's pages load: a style and a script.

use std::sync::LazyLock;

use parquote_surface::asset::{Asset, AssetKind};

const START: &str = "/assets/portal-";

/// The colours of pictures, what all pages have, then everything else.
pub(super) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let text = concat!(
        include_str!("../../../picture/src/page.css"),
        include_str!("../../../surface/src/html_page.css"),
        include_str!("portal.css")
    );
    Asset::new(START, AssetKind::Style, text)
});

/// Sends a sign-in code that came with the link.
pub(super) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new(START, AssetKind::Script, include_str!("sign_in.js")));

/// All of them.
pub fn portal_assets() -> [&'static Asset; 2] {
    [&STYLE, &SCRIPT]
}
