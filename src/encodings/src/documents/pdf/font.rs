//! Fonts: the text and the width of each code.

use std::collections::{BTreeMap, HashMap};

use hayro_cmap::{BfString, CMap};
use hayro_syntax::object::{Array, Dict, Name, Object, Stream};

use super::glyph_names::text_of_glyph;
use super::streams::unpack;
use crate::as_utf8::windows_char;

/// Characters of Mac OS Roman from 128 on.
const MAC_ROMAN: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»… ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{f8ff}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";

/// A font of a document. The text and the width of a code are those of its glyph.
pub(super) struct PdfFont {
    /// Texts of codes by the `ToUnicode` map of the font; `None` without a readable map.
    texts: Option<CMap>,
    /// True if a code has two bytes.
    has_wide_codes: bool,
    /// True if codes from 128 on are Mac OS Roman; otherwise they are Windows-1252.
    is_mac: bool,
    /// Texts of codes by the names of their glyphs; empty for unknown names.
    glyph_texts: HashMap<u8, String>,
    /// Widths of ranges of codes, by their first code: the last code, and the width in units of `width_unit`.
    widths: BTreeMap<u32, (u32, f64)>,
    /// Width of all other codes.
    other_width: f64,
    /// Length of one unit of widths, as a fraction of the font size.
    width_unit: f64,
}

/// A glyph of a text on a page.
pub(super) struct ShownGlyph {
    /// `None` if the font does not map the code to a text.
    pub(super) text: Option<String>,
    /// Width as a fraction of the font size.
    pub(super) width: f64,
    /// True for the code after which word spacing is added.
    pub(super) is_space: bool,
}

impl PdfFont {
    /// Reads the encoding and the widths of a font.
    pub(super) fn new(dict: &Dict<'_>) -> Self {
        let map = dict.get::<Stream<'_>>("ToUnicode").and_then(|stream| unpack(&stream));
        let has_wide_codes = dict.get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_ref() == b"Type0");
        let mut font = Self {
            texts: map.and_then(|map| CMap::parse(&map, |_| None)),
            has_wide_codes,
            is_mac: false,
            glyph_texts: HashMap::new(),
            widths: BTreeMap::new(),
            other_width: 500.0,
            width_unit: 0.001,
        };
        if has_wide_codes {
            font.read_wide(dict);
        } else {
            font.read_encoding(dict);
            font.read_widths(dict);
        }
        font
    }

    /// Returns the glyphs that a text shows.
    pub(super) fn glyphs<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = ShownGlyph> + 'a {
        text.chunks(if self.has_wide_codes { 2 } else { 1 }).map(|code| {
            let code = code.iter().fold(0, |code, byte| code << 8 | u32::from(*byte));
            let range = self.widths.range(..=code).next_back();
            let width = range
                .filter(|(_, (last, _))| code <= *last)
                .map_or(self.other_width, |(_, (_, width))| *width);
            ShownGlyph {
                text: self.text(code),
                width: width * self.width_unit,
                is_space: !self.has_wide_codes && code == u32::from(b' '),
            }
        })
    }

    /// Returns the text of a code.
    fn text(&self, code: u32) -> Option<String> {
        match self.texts.as_ref().and_then(|texts| texts.lookup_bf_string(code)) {
            Some(BfString::Char(text)) => return Some(text.to_string()),
            Some(BfString::String(text)) => return Some(text),
            None if self.has_wide_codes => return None,
            None => {}
        }
        let code = u8::try_from(code).ok()?;
        if let Some(text) = self.glyph_texts.get(&code) {
            return (!text.is_empty()).then(|| text.clone());
        }
        match code.checked_sub(128) {
            Some(above) if self.is_mac => MAC_ROMAN.chars().nth(usize::from(above)).map(String::from),
            _ => Some(windows_char(code).to_string()),
        }
    }

    fn read_encoding(&mut self, dict: &Dict<'_>) {
        let is_mac = |name: Option<Name<'_>>| name.is_some_and(|name| name.as_ref() == b"MacRomanEncoding");
        self.is_mac = is_mac(dict.get("Encoding"));
        let Some(encoding) = dict.get::<Dict<'_>>("Encoding") else { return };
        self.is_mac |= is_mac(encoding.get("BaseEncoding"));
        let mut code = 0_i64;
        for object in encoding.get::<Array<'_>>("Differences").iter().flat_map(Array::iter::<Object<'_>>) {
            match object {
                Object::Number(number) => code = number.as_i64(),
                Object::Name(name) => {
                    if let Ok(code) = u8::try_from(code) {
                        self.glyph_texts.insert(code, text_of_glyph(name.as_str()).unwrap_or_default());
                    }
                    code = code.saturating_add(1);
                }
                _ => {}
            }
        }
    }

    /// Reads the widths of codes of one byte.
    fn read_widths(&mut self, dict: &Dict<'_>) {
        if let Some([width_unit, ..]) = dict.get::<[f64; 6]>("FontMatrix") {
            self.width_unit = width_unit;
        }
        let missing_width =
            dict.get::<Dict<'_>>("FontDescriptor").and_then(|about| about.get::<f64>("MissingWidth"));
        self.other_width = missing_width.unwrap_or(self.other_width);
        let first = dict.get::<i32>("FirstChar").and_then(|first| u32::try_from(first).ok()).unwrap_or(0);
        let widths = dict.get::<Array<'_>>("Widths");
        let widths = widths.iter().flat_map(Array::iter::<f64>).take(256);
        self.widths = (first..).zip(widths).map(|(code, width)| (code, (code, width))).collect();
    }

    /// Reads the widths of codes of two bytes.
    fn read_wide(&mut self, dict: &Dict<'_>) {
        let fonts = dict.get::<Array<'_>>("DescendantFonts");
        let Some(font) = fonts.and_then(|fonts| fonts.iter::<Dict<'_>>().next()) else { return };
        self.other_width = font.get::<f64>("DW").unwrap_or(1000.0);
        let widths = font.get::<Array<'_>>("W");
        let mut codes: Vec<u32> = Vec::new();
        for object in widths.iter().flat_map(Array::iter::<Object<'_>>) {
            match (object, codes.as_slice()) {
                (Object::Array(widths), [first]) => {
                    let widths = (*first..=0xffff).zip(widths.iter::<f64>());
                    self.widths.extend(widths.map(|(code, width)| (code, (code, width))));
                    codes.clear();
                }
                (Object::Number(width), [first, last]) => {
                    self.widths.insert(*first, (*last, width.as_f64()));
                    codes.clear();
                }
                (Object::Number(code), _) => codes.push(u32::try_from(code.as_i64()).unwrap_or_default()),
                _ => codes.clear(),
            }
        }
    }
}
