//! Conversion of SVG files to PNG, with the one bundled font.
//!
//! Only SVG files of this crate are supported: class names have no colours here, and letters missing from the font do not appear. A
//! conversion takes tens of milliseconds of one core; the caller bounds how many run at once.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use super::text::FAMILY;

static REGULAR: &[u8] = include_bytes!("fonts/DejaVuSansCondensed.ttf");
static BOLD: &[u8] = include_bytes!("fonts/DejaVuSansCondensed-Bold.ttf");

/// Maximum length of a side, in pixels. Language models accept no larger pictures.
const MOST_PIXELS: f32 = 2_000.0;

/// Reason why there is no PNG.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The SVG cannot be parsed.
    #[error("the SVG cannot be read")]
    Svg(#[from] resvg::usvg::Error),
    /// A side is longer than 2,000 pixels.
    #[error("the picture is {width} x {height}; at most {MOST_PIXELS} pixels a side are drawn")]
    Size {
        /// Width, in pixels.
        width: f32,
        /// Height, in pixels.
        height: f32,
    },
    /// The encoder failed.
    #[error("the PNG cannot be written: {0}")]
    Encoding(String),
}

/// Returns the bundled fonts, which are loaded at the first call.
pub(super) fn fonts() -> Arc<fontdb::Database> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let load = || {
        let mut fonts = fontdb::Database::new();
        for file in [REGULAR, BOLD] {
            fonts.load_font_source(fontdb::Source::Binary(Arc::new(file)));
        }
        Arc::new(fonts)
    };
    Arc::clone(FONTS.get_or_init(load))
}

fn read(svg: &str) -> Result<Tree, resvg::usvg::Error> {
    let options = Options { fontdb: fonts(), font_family: FAMILY.to_owned(), ..Options::default() };
    Tree::from_str(svg, &options)
}

/// Converts an SVG file to PNG, one pixel per unit.
///
/// # Errors
/// An unreadable SVG, a side above 2,000 pixels, or a failure of the encoder.
pub fn png(svg: &str) -> Result<Vec<u8>, PngError> {
    let tree = read(svg)?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let too_large = || PngError::Size { width, height };
    if width > MOST_PIXELS || height > MOST_PIXELS {
        return Err(too_large());
    }
    let mut pixels = Pixmap::new(width.ceil() as u32, height.ceil() as u32).ok_or_else(too_large)?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PngError::Encoding(error.to_string()))
}

#[cfg(test)]
mod tests {
    use resvg::usvg::Node;

    use super::*;
    use crate::text::{FontWeight, width};

    fn drawn(body: &str) -> Vec<u8> {
        let svg = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='200' height='40' font-family='{FAMILY},sans-serif'>{body}</svg>"
        );
        png(&svg).expect("an SVG")
    }

    #[test]
    fn a_label_changes_pixels() {
        let empty = drawn("");
        for text in ["Label", "₹", "−", "▲", "▼", "–", "…", "é", "·"] {
            let regular = drawn(&format!("<text x='20' y='30' font-size='20'>{text}</text>"));
            let bold = drawn(&format!("<text x='20' y='30' font-size='20' font-weight='bold'>{text}</text>"));
            assert!(regular != empty && bold != empty && (regular != bold || "▲▼−".contains(text)), "{text}");
            // Nor is there a box for a missing letter.
            let missing = drawn("<text x='20' y='30' font-size='20'>\u{4e2d}</text>");
            assert_ne!(regular, missing, "{text}");
        }
    }

    #[test]
    fn widths_are_those_of_the_fonts() {
        let end = |text: &str, weight: &str| {
            let svg = format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text font-family='{FAMILY}' font-size='1000' font-weight='{weight}'>{text}|</text></svg>"
            );
            let tree = read(&svg).expect("an SVG");
            let Some(Node::Text(text)) = tree.root().children().first() else { panic!("no text") };
            f64::from(text.bounding_box().right())
        };
        for (weight, word) in [(FontWeight::Regular, "normal"), (FontWeight::Bold, "bold")] {
            for letter in (' '..='~').filter(|letter| !"<& ".contains(*letter)).chain("₹…·–−’".chars())
            {
                let measured = end(&format!("||{letter}"), word) - end("||", word);
                let known = width(&letter.to_string(), 1_000.0, weight);
                assert!((measured - known).abs() < 2.0, "{letter} {word}: {measured} is not {known}");
            }
        }
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='2001' height='10'/>";
        assert!(matches!(png(svg), Err(PngError::Size { .. })));
        assert!(matches!(png("<svg"), Err(PngError::Svg(_))));
    }
}
