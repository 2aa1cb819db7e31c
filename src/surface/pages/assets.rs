//! The files that pages load: one style, one script, one icon. Their names carry a hash of what they hold, so that browsers keep
//! them until they change.

use std::sync::LazyLock;

/// A file that pages load.
pub(crate) struct PageAsset {
    /// Where it lies.
    pub path: String,
    /// What it is.
    pub content_type: &'static str,
    /// What it holds.
    pub text: &'static str,
}

impl PageAsset {
    fn new(ending: &str, content_type: &'static str, text: &'static str) -> Self {
        const LENGTH: usize = 16;
        let hash: String = blake3::hash(text.as_bytes()).to_hex().chars().take(LENGTH).collect();
        Self { path: format!("/assets/{hash}.{ending}"), content_type, text }
    }
}

/// The colours of pictures, then everything else.
pub(super) static STYLE: LazyLock<PageAsset> = LazyLock::new(|| {
    let text = concat!(include_str!("../../picture/page.css"), include_str!("page.css"));
    PageAsset::new("css", "text/css; charset=utf-8", text)
});

/// The script.
pub(super) static SCRIPT: LazyLock<PageAsset> =
    LazyLock::new(|| PageAsset::new("js", "text/javascript; charset=utf-8", include_str!("page.js")));

/// The icon.
pub(super) static ICON: LazyLock<PageAsset> =
    LazyLock::new(|| PageAsset::new("svg", "image/svg+xml", include_str!("icon.svg")));

/// Where the icon lies, for pages beside the explorer.
pub(crate) fn icon_path() -> &'static str {
    &ICON.path
}

/// All of them.
pub(crate) fn assets() -> [&'static PageAsset; 3] {
    [&STYLE, &SCRIPT, &ICON]
}
