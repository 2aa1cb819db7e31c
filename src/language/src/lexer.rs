//! Splits characters into tokens: words in lower case, numbers, and the few signs that carry meaning.
//!
//! Letters and digits are split apart, so that `50dma` and `15x` are two tokens each. A hyphen or a slash within a word joins (`52-week`,
//! `P/E`); between numbers a hyphen is a range. Every token records its position in the sentence.

/// A word, a number or a sign.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    /// Text in lower case. A number has no commas.
    pub(super) text: String,
    /// Value; `None` if the token is a word or a sign, or the number is above [`LARGEST_NUMBER`].
    pub(super) number: Option<f64>,
    /// Index of its first character in the sentence, from 0.
    pub(super) start: usize,
    /// Index after its last character.
    pub(super) end: usize,
    /// True if it is written like `Rs`: a capital, then small letters.
    pub(super) is_capitalised: bool,
}

/// The largest number that a sentence may contain. No figure of a stock is larger.
const LARGEST_NUMBER: f64 = 1e15;

/// Splits a sentence into tokens. Characters other than letters, digits and the signs of the grammar only separate tokens.
pub(super) fn tokens(sentence: &str) -> Vec<Token> {
    let mut lexer = Lexer { chars: sentence.chars().collect(), position: 0, tokens: Vec::new() };
    while let Some(next) = lexer.peek(0) {
        lexer.step(next);
    }
    lexer.tokens
}

struct Lexer {
    chars: Vec<char>,
    position: usize,
    tokens: Vec<Token>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.position + ahead).copied()
    }

    fn previous_char(&self) -> Option<char> {
        self.chars.get(self.position.checked_sub(1)?).copied()
    }

    fn step(&mut self, next: char) {
        let starts_number = next.is_ascii_digit() || (next == '.' && self.digit_at(1));
        match next {
            _ if starts_number => self.read_number(false),
            _ if next.is_alphabetic() => self.push_word(),
            '-' | '–' | '—' | '−' | '‐' | '‑' => self.dash(),
            '&' => self.ampersand(),
            '<' | '>' | '=' | '!' | '≥' | '≤' | '≠' => self.comparison(),
            '₹' => self.push_sign("rupees", 1),
            '$' | '%' | '~' | '+' | ',' | ';' | '|' => self.push_sign(&next.to_string(), 1),
            '≈' => self.push_sign("~", 1),
            '\'' | '’' if self.peek(1) == Some('s') && !self.letter_at(2) => self.position += 2,
            _ => self.position += 1,
        }
    }

    fn digit_at(&self, ahead: usize) -> bool {
        self.peek(ahead).is_some_and(|c| c.is_ascii_digit())
    }

    fn letter_at(&self, ahead: usize) -> bool {
        self.peek(ahead).is_some_and(char::is_alphabetic)
    }

    fn push_sign(&mut self, text: &str, length: usize) {
        self.push(text.to_owned(), None, self.position, self.position + length);
    }

    fn push(&mut self, text: String, number: Option<f64>, start: usize, end: usize) {
        let char_at = |index: usize| self.chars.get(index);
        let is_capitalised = char_at(start).is_some_and(|c| c.is_uppercase())
            && (start + 1..end).all(|index| char_at(index).is_some_and(|c| c.is_lowercase()));
        self.tokens.push(Token { text, number, start, end, is_capitalised });
        self.position = end;
    }

    fn push_word(&mut self) {
        let length = self.chars.iter().skip(self.position).take_while(|c| c.is_alphabetic()).count();
        let text: String =
            self.chars.iter().skip(self.position).take(length).flat_map(|c| c.to_lowercase()).collect();
        self.push(text, None, self.position, self.position + length);
    }

    /// Reads a number with its commas: groups of three digits, or of two in front of them as in India.
    fn read_number(&mut self, is_negative: bool) {
        let start = self.position;
        let mut digits = String::new();
        let mut has_point = false;
        while let Some(next) = self.peek(0) {
            match next {
                _ if next.is_ascii_digit() => digits.push(next),
                '.' if !has_point && self.digit_at(1) => {
                    has_point = true;
                    digits.push('.');
                }
                ',' if !has_point && self.is_group_separator() => {}
                _ => break,
            }
            self.position += 1;
        }
        let value: Option<f64> = digits.parse().ok().filter(|value| *value <= LARGEST_NUMBER);
        let value = value.map(|value| if is_negative { -value } else { value });
        let first = if is_negative { start.saturating_sub(1) } else { start };
        self.push(digits, value, first, self.position);
    }

    /// Returns true if the comma at this position separates groups of digits of one number.
    fn is_group_separator(&self) -> bool {
        let digits = (1..=4).take_while(|ahead| self.digit_at(*ahead)).count();
        digits == 3 || (digits == 2 && self.peek(3) == Some(',') && self.digit_at(4))
    }

    /// Reads a hyphen: a minus before a number, a range after one, a joint within a word.
    fn dash(&mut self) {
        let joins = self.previous_char().is_some_and(char::is_alphanumeric)
            && (self.letter_at(1)
                || (self.digit_at(1) && self.previous_char().is_some_and(char::is_alphabetic)));
        let after_number =
            self.tokens.last().is_some_and(|token| token.number.is_some() || token.text == "%");
        let after_unit = self.tokens.iter().rev().nth(1).is_some_and(|token| token.number.is_some());
        if self.digit_at(1) && !after_number && !joins {
            self.position += 1;
            self.read_number(true);
        } else if joins && !(self.digit_at(1) && after_unit) {
            self.position += 1;
        } else {
            self.push_sign("-", 1);
        }
    }

    /// Reads `&` as `and`, except in names such as `S&P`.
    fn ampersand(&mut self) {
        let is_name = self.previous_char().is_some_and(char::is_alphabetic)
            && self.letter_at(1)
            && !self.letter_at(2)
            && self.tokens.last().is_some_and(|token| token.end - token.start == 1);
        match self.tokens.last_mut() {
            Some(last) if is_name => {
                let second = self.chars.get(self.position + 1).copied().unwrap_or_default();
                last.text.push('&');
                last.text.extend(second.to_lowercase());
                last.end += 2;
                self.position += 2;
            }
            _ => self.push_sign("and", 1),
        }
    }

    fn comparison(&mut self) {
        let (text, length) = match (self.peek(0), self.peek(1)) {
            (Some('>'), Some('=')) | (Some('='), Some('>')) => (">=", 2),
            (Some('<'), Some('=')) | (Some('='), Some('<')) => ("<=", 2),
            (Some('='), Some('=')) => ("=", 2),
            (Some('!'), Some('=')) | (Some('<'), Some('>')) => ("!=", 2),
            (Some('≥'), _) => (">=", 1),
            (Some('≤'), _) => ("<=", 1),
            (Some('≠'), _) => ("!=", 1),
            (Some('<'), _) => ("<", 1),
            (Some('>'), _) => (">", 1),
            (Some('='), _) => ("=", 1),
            _ => {
                self.position += 1;
                return;
            }
        };
        self.push_sign(text, length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(sentence: &str) -> Vec<String> {
        tokens(sentence).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn joints_ranges_and_minus_are_told_apart() {
        assert_eq!(texts("52-week P/E 10-20%"), ["52", "week", "p", "e", "10", "-", "20", "%"]);
        assert_eq!(texts("10cr-20cr mid-cap"), ["10", "cr", "-", "20", "cr", "mid", "cap"]);
        assert_eq!(tokens("> -5").last().and_then(|token| token.number), Some(-5.0));
    }

    #[test]
    fn numbers_keep_their_commas_out() {
        let numbers = |sentence: &str| {
            tokens(sentence).into_iter().filter_map(|token| token.number).collect::<Vec<_>>()
        };
        assert_eq!(numbers("1,00,000 and 33,000.5, 7"), [100_000.0, 33_000.5, 7.0]);
        assert_eq!(numbers("10,20"), [10.0, 20.0]);
        assert_eq!(numbers(&"9".repeat(400)), Vec::<f64>::new());
    }

    #[test]
    fn positions_count_characters() {
        let tokens = tokens("₹500 – é>=S&P");
        let positions: Vec<_> =
            tokens.iter().map(|token| (token.text.as_str(), token.start, token.end)).collect();
        assert_eq!(
            positions,
            [("rupees", 0, 1), ("500", 1, 4), ("-", 5, 6), ("é", 7, 8), (">=", 8, 10), ("s&p", 10, 13)]
        );
    }
}
