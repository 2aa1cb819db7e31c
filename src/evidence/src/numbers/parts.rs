//! Splits a text into runs of letters and runs of digits, after normalizing digits and dashes of all scripts.

/// The characters of a text: as written, and folded for comparison. Both have the same length.
pub(super) struct Letters {
    /// The text as written, without invisible characters.
    pub(super) original_chars: Vec<char>,
    /// The same text in lower case, with ASCII digits, plain spaces and plain hyphens.
    pub(super) folded: Vec<char>,
}

/// A run of letters or of digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextPart {
    /// Index of the first character.
    pub(super) start: usize,
    /// Index after the last character.
    pub(super) end: usize,
    /// The folded characters.
    pub(super) text: String,
    pub(super) is_number: bool,
}

impl Letters {
    pub(super) fn from_text(text: &str) -> Self {
        let original_chars: Vec<char> = text.chars().filter(|c| !is_invisible(*c)).collect();
        let folded = original_chars.iter().map(|c| fold_char(*c)).collect();
        Self { original_chars, folded }
    }

    /// Returns the folded character at a position; NUL outside of the text.
    pub(super) fn char_at(&self, index: usize) -> char {
        self.folded.get(index).copied().unwrap_or('\0')
    }

    /// Returns the folded character before a position; NUL at the start.
    pub(super) fn char_before(&self, index: usize) -> char {
        index.checked_sub(1).map_or('\0', |index| self.char_at(index))
    }

    /// Returns the run of letters directly before a position.
    pub(super) fn word_before(&self, index: usize) -> String {
        let first = (0..index).rev().find(|at| !self.char_at(*at).is_alphabetic()).map_or(0, |at| at + 1);
        self.slice(first, index)
    }

    /// Returns the end of the run of characters of a kind that begins at a position.
    pub(super) fn run_end(&self, start: usize, kind: impl Fn(char) -> bool) -> usize {
        start + self.folded.iter().skip(start).take_while(|c| kind(**c)).count()
    }

    /// Returns the folded text of a range.
    pub(super) fn slice(&self, start: usize, end: usize) -> String {
        self.folded.iter().skip(start).take(end.saturating_sub(start)).collect()
    }

    /// Returns the text of a range as written.
    pub(super) fn original(&self, start: usize, end: usize) -> String {
        self.original_chars.iter().skip(start).take(end.saturating_sub(start)).collect()
    }

    /// Returns the runs of letters and digits, in order.
    pub(super) fn parts(&self) -> Vec<TextPart> {
        let mut parts: Vec<TextPart> = Vec::new();
        for (index, &c) in self.folded.iter().enumerate().filter(|(_, c)| c.is_alphanumeric()) {
            let is_number = c.is_ascii_digit();
            match parts.last_mut() {
                Some(last) if last.end == index && last.is_number == is_number => {
                    last.end += 1;
                    last.text.push(c);
                }
                _ => parts.push(TextPart { start: index, end: index + 1, text: c.to_string(), is_number }),
            }
        }
        parts
    }
}

/// Marks the characters `start..end` as masked.
pub(super) fn mask_range(masked: &mut [bool], start: usize, end: usize) {
    masked.iter_mut().take(end).skip(start).for_each(|is_masked| *is_masked = true);
}

/// Returns true if a character is invisible: it could hide a number, or instructions for a model.
pub fn is_invisible(c: char) -> bool {
    let control = c.is_control() && !matches!(c, '\n' | '\t');
    control
        || matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{2069}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Code points of the digit zero in scripts whose digits are folded to ASCII digits.
const ZEROS: [u32; 14] = [
    0x0660, 0x06F0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0xFF10, 0x1D7CE,
    0x1D7EC,
];

fn fold_char(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let digit = |zero: &u32| (u32::from(c)).checked_sub(*zero).filter(|digit| *digit < 10);
    if let Some(digit) = ZEROS.iter().find_map(digit) {
        return char::from_digit(digit, 10).unwrap_or(c);
    }
    match c {
        '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE63}' | '\u{FF0D}' => '-',
        '\u{2019}' | '\u{2018}' => '\'',
        '\u{FF05}' | '\u{66A}' => '%',
        '\u{D7}' => 'x',
        '\u{FF0C}' => ',',
        '\u{FF0E}' => '.',
        _ => c.to_lowercase().next().unwrap_or(c),
    }
}

/// Returns a word in the singular, as far as measures and counted things need it.
pub(super) fn singular(word: &str) -> String {
    match word.strip_suffix("ies") {
        Some(stem) if stem.len() > 2 => format!("{stem}y"),
        _ if word.len() > 3 && !word.ends_with("ss") => word
            .strip_suffix("ches")
            .map_or_else(|| word.trim_end_matches('s').to_owned(), |stem| format!("{stem}ch")),
        _ => word.to_owned(),
    }
}

/// Returns true if a word is in a list whose words are separated by blanks.
pub(super) fn is_among(words: &str, word: &str) -> bool {
    words.split(' ').any(|listed| listed == word)
}
