//! The files that the portal's pages load: a style, a script, an icon. Their names carry a hash of what they hold, so that browsers
//! keep them until they change.

use std::sync::LazyLock;

/// A file that the portal's pages load.
pub(crate) struct PortalAsset {
    /// Where it lies.
    pub path: String,
    /// What it is.
    pub content_type: &'static str,
    /// What it holds.
    pub text: &'static str,
}

impl PortalAsset {
    fn new(ending: &str, content_type: &'static str, text: &'static str) -> Self {
        const LENGTH: usize = 16;
        let hash: String = blake3::hash(text.as_bytes()).to_hex().chars().take(LENGTH).collect();
        Self { path: format!("/assets/portal-{hash}.{ending}"), content_type, text }
    }
}

/// The colours of pictures, then everything else.
pub(super) static STYLE: LazyLock<PortalAsset> = LazyLock::new(|| {
    let text = concat!(include_str!("../../../picture/page.css"), include_str!("portal.css"));
    PortalAsset::new("css", "text/css; charset=utf-8", text)
});

/// Sends a sign-in code that came with the link.
pub(super) static SCRIPT: LazyLock<PortalAsset> =
    LazyLock::new(|| PortalAsset::new("js", "text/javascript; charset=utf-8", include_str!("sign_in.js")));

/// The icon.
pub(super) static ICON: LazyLock<PortalAsset> =
    LazyLock::new(|| PortalAsset::new("svg", "image/svg+xml", include_str!("icon.svg")));

/// All of them.
pub(crate) fn portal_assets() -> [&'static PortalAsset; 3] {
    [&STYLE, &SCRIPT, &ICON]
}
