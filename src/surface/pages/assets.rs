//! The files that pages load: one style, one script, one icon.

use std::sync::LazyLock;

use crate::surface::asset::{Asset, AssetKind};

const START: &str = "/assets/";

/// The colours of pictures, then everything else.
pub(super) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let text = concat!(include_str!("../../picture/page.css"), include_str!("page.css"));
    Asset::new(START, AssetKind::Style, text)
});

/// The script.
pub(super) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new(START, AssetKind::Script, include_str!("page.js")));

/// The icon.
pub(super) static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new(START, AssetKind::Icon, include_str!("icon.svg")));

/// Where the icon lies, for pages beside the explorer.
pub(crate) fn icon_path() -> &'static str {
    &ICON.path
}

/// All of them.
pub(crate) fn assets() -> [&'static Asset; 3] {
    [&STYLE, &SCRIPT, &ICON]
}
