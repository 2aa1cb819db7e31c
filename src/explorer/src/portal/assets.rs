//! Files that the portal's pages load: a style and a script.

use std::sync::LazyLock;

use parquote_surface::asset::{Asset, AssetKind};

const START: &str = "/assets/portal-";

/// Style sheet: the colours of pictures, the shared part, then the portal.
pub(super) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let text = concat!(
        include_str!("../../../picture/src/page.css"),
        include_str!("../../../surface/src/html_page.css"),
        include_str!("portal.css")
    );
    Asset::new(START, AssetKind::Style, text)
});

/// Script that sends the sign-in code of a link.
pub(super) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new(START, AssetKind::Script, include_str!("sign_in.js")));

/// Returns all files.
pub fn portal_assets() -> [&'static Asset; 2] {
    [&STYLE, &SCRIPT]
}
