//! The file that only the portal's pages load: a script.

use std::sync::LazyLock;

use parquote_surface::asset::{Asset, AssetKind};

/// Script that sends the sign-in code of a link.
pub(super) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("/assets/portal-", AssetKind::Script, include_str!("sign_in.js")));

/// Returns the file.
pub fn portal_asset() -> &'static Asset {
    &SCRIPT
}
