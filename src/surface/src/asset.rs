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

parquote_catalogue::word_enum! {
    /// Colours that a reader chose for all pages.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ColourScheme {
        /// The scheme that the browser prefers.
        #[default]
        Auto = "auto",
        /// Light colours.
        Light = "light",
        /// Dark colours.
        Dark = "dark",
    }
    const ALL "All schemes, the default first.";
    fn word "Returns the scheme's word, in the cookie and in the form.";
}

impl ColourScheme {
    /// Returns the item of this scheme; the items are in the order of [`Self::ALL`].
    pub const fn pick<T>(self, [auto, light, dark]: &[T; 3]) -> &T {
        match self {
            Self::Auto => auto,
            Self::Light => light,
            Self::Dark => dark,
        }
    }

    /// Returns the name that pages show.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Auto => "Auto",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }

    /// Returns the scheme of a word; `None` for other words.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.word() == word)
    }

    /// Returns the content of a page's `meta` element `color-scheme`, which decides the colours of the browser's controls.
    pub(crate) const fn meta_content(self) -> &'static str {
        match self {
            Self::Auto => "light dark",
            Self::Light | Self::Dark => self.word(),
        }
    }

    /// Returns the condition under which a style sheet has its dark colours, which are never printed.
    const fn condition(self) -> &'static str {
        match self {
            Self::Auto => AUTO,
            Self::Light => "@media not all",
            Self::Dark => "@media screen",
        }
    }
}

/// The condition of dark colours, as sources of style sheets write it.
const AUTO: &str = "@media screen and (prefers-color-scheme: dark)";

/// A style sheet with a file for each colour scheme: a page names the file of the scheme that its reader chose, so that no other colours
/// appear first.
#[derive(Debug)]
pub struct StyleSheet([Asset; 3]);

impl StyleSheet {
    /// Builds the files of a style sheet whose dark colours are in `@media screen and (prefers-color-scheme: dark)`. Its comments, a sixth
    /// of its packed bytes, are left out.
    pub fn new(start: &str, text: &str) -> Self {
        let text = without_comments(text);
        let file = |scheme: ColourScheme| text.replace(AUTO, scheme.condition()).leak();
        Self(ColourScheme::ALL.map(|scheme| Asset::new(start, AssetKind::Style, file(scheme))))
    }

    /// Returns the file of a scheme.
    pub fn file(&self, scheme: ColourScheme) -> &Asset {
        scheme.pick(&self.0)
    }

    /// Returns all files.
    pub fn files(&self) -> impl Iterator<Item = &Asset> {
        self.0.iter()
    }
}

fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |left, part| left + part.split_once("*/").map_or("", |(_, rest)| rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_left_out() {
        assert_eq!(without_comments("/* a */\na { b: c } /* {} */d{}/*e*//* f"), "a { b: c } d{}");
        assert_eq!(without_comments("a{}"), "a{}");
    }

    #[test]
    fn a_scheme_decides_when_colours_are_dark() {
        let sheet = StyleSheet::new("/a/", "p{}@media screen and (prefers-color-scheme: dark){b{}}");
        let texts = ColourScheme::ALL.map(|scheme| sheet.file(scheme).text);
        assert_eq!(texts[1..], ["p{}@media not all{b{}}", "p{}@media screen{b{}}"]);
        let paths: std::collections::BTreeSet<&str> = sheet.files().map(|file| file.path.as_str()).collect();
        assert_eq!(paths.len(), 3);
        let words = ["dark", "auto", "<b>"].map(ColourScheme::from_word);
        assert_eq!(words, [Some(ColourScheme::Dark), Some(ColourScheme::Auto), None]);
    }
}
