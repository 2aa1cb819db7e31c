//! The paragraphs of a text: blanks are collapsed, characters that cannot be seen are left out, and long paragraphs are split.

use std::io;

use crate::unpack_bounds::refusal;

/// Maximum number of characters of a paragraph; a longer one is split after a sentence.
const LONGEST_PARAGRAPH: usize = 4_000;
/// Maximum number of paragraphs of a document.
const MOST_PARAGRAPHS: usize = 20_000;

/// The paragraphs of a text that is being read.
#[derive(Debug, Default)]
pub(super) struct Paragraphs {
    done: Vec<String>,
    open: String,
    /// Number of characters in `open`.
    length: usize,
    /// True if a blank comes before the next character.
    is_blank: bool,
    /// True if a line has ended since the last character.
    has_line_end: bool,
}

impl Paragraphs {
    /// Appends a plain text, split at its blank lines, or at each line if it has no blank line.
    pub(super) fn push_plain(&mut self, text: &str) {
        let text = text.trim();
        // Old files end their lines with a carriage return alone.
        let line_end = if text.contains('\n') { '\n' } else { '\r' };
        let lines = text.split(line_end).map(str::trim);
        let is_spaced = lines.clone().any(str::is_empty);
        for line in lines {
            self.push_text(line);
            if is_spaced {
                self.end_line();
            } else {
                self.end();
            }
        }
        self.end();
    }

    /// Appends text to the open paragraph.
    pub(super) fn push_text(&mut self, text: &str) {
        text.chars().for_each(|character| self.push(character));
    }

    /// Appends a character to the open paragraph.
    pub(super) fn push(&mut self, character: char) {
        if character.is_whitespace() {
            self.is_blank = true;
            return;
        }
        if is_invisible(character) {
            return;
        }
        if self.length >= LONGEST_PARAGRAPH {
            self.split();
        }
        if std::mem::take(&mut self.is_blank) && !self.open.is_empty() {
            self.open.push(' ');
            self.length += 1;
        }
        self.has_line_end = false;
        self.open.push(character);
        self.length += 1;
    }

    /// Ends a line. Two line ends with nothing between them end the paragraph.
    pub(super) fn end_line(&mut self) {
        if self.has_line_end {
            self.end();
        } else {
            (self.is_blank, self.has_line_end) = (true, true);
        }
    }

    /// Ends the open paragraph.
    pub(super) fn end(&mut self) {
        if !self.open.is_empty() && self.done.len() <= MOST_PARAGRAPHS {
            self.done.push(std::mem::take(&mut self.open));
        }
        self.open.clear();
        (self.length, self.is_blank, self.has_line_end) = (0, false, false);
    }

    /// Ends a paragraph that is too long: after its last whole sentence, else at its last blank, else here. The rest begins the next one.
    fn split(&mut self) {
        let sentence = self.open.rfind(". ").map(|at| at + 1);
        let at = sentence.or_else(|| self.open.rfind(' ')).unwrap_or(self.open.len());
        let rest = self.open.split_off(at);
        let is_blank = self.is_blank;
        self.end();
        self.is_blank = is_blank;
        self.open.push_str(rest.trim_start());
        self.length = self.open.chars().count();
    }

    /// Returns the paragraphs.
    ///
    /// # Errors
    /// More than `MOST_PARAGRAPHS` paragraphs.
    pub(super) fn finish(mut self) -> io::Result<Vec<String>> {
        self.end();
        if self.done.len() > MOST_PARAGRAPHS {
            return Err(refusal(format!(
                "it has more than {MOST_PARAGRAPHS} paragraphs: save the parts that matter"
            )));
        }
        Ok(self.done)
    }
}

/// Returns true for characters without a glyph: controls, joiners, variation selectors, and marks of the writing direction.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffd}' | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Vec<String> {
        let mut paragraphs = Paragraphs::default();
        paragraphs.push_plain(text);
        paragraphs.finish().unwrap()
    }

    #[test]
    fn blank_lines_or_lines_end_paragraphs() {
        assert_eq!(plain("\n One\n  two.\r\n \r\n\r\nThree\u{a0}four\n"), ["One two.", "Three four"]);
        assert_eq!(plain("Operator: Hello.\nA: Thanks.\n"), ["Operator: Hello.", "A: Thanks."]);
        assert_eq!(plain("One\rtwo.\r\rThree"), ["One two.", "Three"]);
        assert_eq!(plain(" \n\n\t"), Vec::<String>::new());
    }

    #[test]
    fn what_cannot_be_seen_is_left_out() {
        assert_eq!(plain("a\u{202e}b\u{200b}c \u{7}d"), ["abc d"]);
        // Tags and variation selectors, which may carry an invisible text.
        assert_eq!(plain("a\u{e0041}\u{e007f}b\u{fe0f}\u{e0100}c"), ["abc"]);
    }

    #[test]
    fn long_texts_are_split_after_sentences_and_lose_nothing() {
        let text = "Sales rose in all regions. ".repeat(500);
        let parts = plain(&text);
        assert!(
            parts.iter().all(|part| part.chars().count() <= LONGEST_PARAGRAPH && part.ends_with('.')),
            "{parts:?}"
        );
        assert_eq!(parts.join(" "), text.trim());
        let word = "é".repeat(2 * LONGEST_PARAGRAPH + 1);
        assert_eq!(plain(&word).concat(), word);
    }

    #[test]
    fn a_text_of_too_many_paragraphs_is_refused() {
        let mut paragraphs = Paragraphs::default();
        paragraphs.push_plain(&"a\n\n".repeat(MOST_PARAGRAPHS + 1));
        assert!(paragraphs.finish().unwrap_err().to_string().contains("more than 20000 paragraphs"));
    }
}
