//! The style and the script of the manual's pages: files of their own, so that the pages may forbid all that stands in them
//! beside words. Their names carry a hash of what they hold, so that browsers keep them until they change.

use std::sync::LazyLock;

use super::super::paths::DOCS;

/// A file that the pages of the manual load.
pub(in crate::surface::http) struct Asset {
    /// Where it lies.
    pub path: String,
    pub content_type: &'static str,
    pub text: &'static str,
}

impl Asset {
    fn new(ending: &str, content_type: &'static str, text: &'static str) -> Self {
        const LENGTH: usize = 16;
        let hash: String = blake3::hash(text.as_bytes()).to_hex().chars().take(LENGTH).collect();
        Self { path: format!("{DOCS}/page-{hash}.{ending}"), content_type, text }
    }
}

/// The style.
pub(super) static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("css", "text/css; charset=utf-8", include_str!("page.css")));

/// The script.
pub(super) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("js", "text/javascript; charset=utf-8", include_str!("page.js")));

/// All of them.
pub(in crate::surface::http) fn assets() -> [&'static Asset; 2] {
    [&STYLE, &SCRIPT]
}
