//! The files that pages load: styles, scripts, icons. A name contains a hash of the content, so that browsers can cache a file until it
//! changes. The pages declare their files.

/// Kind of a file, which decides its extension and its content type.
#[derive(Debug, Clone, Copy)]
pub enum AssetKind {
    /// CSS.
    Style,
    /// JavaScript.
    Script,
    /// SVG.
    Icon,
}

/// A file that pages load.
#[derive(Debug)]
pub struct Asset {
    /// Path of the file.
    pub path: String,
    /// Content type.
    pub content_type: &'static str,
    /// Contents.
    pub text: &'static str,
}

impl Asset {
    /// Builds a file whose path is `start`, such as `/assets/`, followed by its hash and its extension.
    pub fn new(start: &str, kind: AssetKind, text: &'static str) -> Self {
        const LENGTH: usize = 16;
        let (ending, content_type) = match kind {
            AssetKind::Style => ("css", "text/css; charset=utf-8"),
            AssetKind::Script => ("js", "text/javascript; charset=utf-8"),
            AssetKind::Icon => ("svg", "image/svg+xml"),
        };
        let hash: String = blake3::hash(text.as_bytes()).to_hex().chars().take(LENGTH).collect();
        Self { path: format!("{start}{hash}.{ending}"), content_type, text }
    }
}
