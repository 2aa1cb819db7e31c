//! The files that pages load: styles, scripts, icons. A name contains a hash of the content, so that browsers keep a file until it
//! changes. The pages declare which files there are.

/// What a file is, which decides its ending and its content type.
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
    /// Where it lies.
    pub path: String,
    /// Its content type.
    pub content_type: &'static str,
    /// What it holds.
    pub text: &'static str,
}

impl Asset {
    /// A file whose path begins with `start`, such as `/assets/`, and goes on with its hash.
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
