//! The files that the portal's pages load: a style, a script, an icon.

use std::sync::LazyLock;

use crate::surface::asset::{Asset, AssetKind};

const START: &str = "/assets/portal-";

/// The colours of pictures, then everything else.
pub(super) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let text = concat!(include_str!("../../../picture/page.css"), include_str!("portal.css"));
    Asset::new(START, AssetKind::Style, text)
});

/// Sends a sign-in code that came with the link.
pub(super) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new(START, AssetKind::Script, include_str!("sign_in.js")));

/// The icon.
pub(super) static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new(START, AssetKind::Icon, include_str!("icon.svg")));

/// All of them.
pub(crate) fn portal_assets() -> [&'static Asset; 3] {
    [&STYLE, &SCRIPT, &ICON]
}
