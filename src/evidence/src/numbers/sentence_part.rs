//! The parts of sentences: a figure of `against Rs 400 crore` is not one of the part before it, and `Smith, who succeeded Jones, resigned`
//! says `Smith resigned` around a relative clause.

use std::collections::BTreeSet;

use super::statement_words::{PartBegin, WORDS};
use super::text_token::{TextToken, TextTokenKind};

/// The position of a token in a text: the numbers of its sentence, clause and part.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct TokenPosition {
    pub(super) sentence: usize,
    /// A clause ends at a mark or a word such as `but`; a part also ends at `and`.
    pub(super) clause: usize,
    pub(super) part: usize,
    /// True in a part such as `against Rs 400 crore`.
    pub(super) is_compared: bool,
    /// True for the first word of a part that a word such as `and` begins.
    pub(super) begins: bool,
    /// Index of the first token of the part; `None` unless such a word begins the part.
    pub(super) opener: Option<usize>,
    /// Number of the relative clause after a comma; 0 outside of one.
    pub(super) relative: usize,
}

/// Returns the position of each token. Names with a comma between them, such as a town and its state, are in one part.
pub(super) fn positions(tokens: &[TextToken], names: &BTreeSet<String>) -> Vec<TokenPosition> {
    let position = TokenPosition::default();
    let mut reader =
        PartReader { tokens, names, position, last_part: 0, bracket: None, outer: None, is_from: false };
    let mut phrase_end = 0;
    let mut positions = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        reader.position.begins = false;
        match &token.kind {
            TextTokenKind::Stop => reader.end_sentence(),
            TextTokenKind::Break(mark) => reader.pass_mark(at, *mark),
            TextTokenKind::Word(word) if at >= phrase_end => phrase_end = at + reader.pass_word(at, word),
            _ => {}
        }
        positions.push(reader.position);
    }
    positions
}

/// Reads the tokens of a text in order.
struct PartReader<'a> {
    tokens: &'a [TextToken],
    names: &'a BTreeSet<String>,
    position: TokenPosition,
    /// Number of the last part.
    last_part: usize,
    /// The position before the open bracket.
    bracket: Option<TokenPosition>,
    /// The position before the open relative clause.
    outer: Option<TokenPosition>,
    /// True if the present comparison began with `from`, which `to` ends.
    is_from: bool,
}

impl PartReader<'_> {
    fn begin_part(&mut self, is_compared: bool) {
        self.last_part += 1;
        self.position.part = self.last_part;
        self.position.is_compared = is_compared;
        self.position.opener = None;
    }

    fn end_sentence(&mut self) {
        self.bracket = None;
        self.outer = None;
        self.begin_part(false);
        self.position.sentence = self.last_part;
        self.position.clause = self.last_part;
        self.position.relative = 0;
    }

    fn pass_mark(&mut self, at: usize, mark: char) {
        if mark == '(' {
            self.bracket = Some(self.position);
            self.begin_part(false);
            return;
        }
        if mark == ')'
            && let Some(outer) = self.bracket.take()
        {
            self.position = outer;
            // A relative clause that began within the brackets ends with them.
            self.outer = self.outer.filter(|_| outer.relative != 0);
            return;
        }
        if mark == ',' && at.checked_sub(1).is_some_and(|before| self.is_name(before)) && self.is_name(at + 1)
        {
            return;
        }
        let next = WORDS.part_begins.longest_at(self.tokens, at + 1).map(|(_, begin)| *begin);
        let (before, outer) = (self.position, self.outer.take());
        if let Some(outer) = outer.filter(|_| mark == ',' && next.is_none() && !self.is_name(at + 1)) {
            self.position = outer;
            return;
        }
        let continues = self.tokens.get(at + 1).is_some_and(|next| next.is_word("or"));
        self.begin_part(continues && self.position.is_compared);
        self.position.clause = self.last_part;
        self.position.relative = 0;
        if mark == ',' && next == Some(PartBegin::Relative) {
            self.outer = outer.or(Some(before));
            self.position.relative = self.last_part;
        }
    }

    fn is_name(&self, at: usize) -> bool {
        let word = self.tokens.get(at).and_then(TextToken::word);
        word.is_some_and(|word| self.names.contains(word))
    }

    /// Reads a word and returns the number of words of its phrase, 1 if no part begins here.
    fn pass_word(&mut self, at: usize, word: &str) -> usize {
        let Some((length, begin)) = WORDS.part_begins.longest_at(self.tokens, at) else {
            if word == "to" && self.position.is_compared && self.is_from {
                self.begin_part(false);
            }
            return 1;
        };
        match begin {
            PartBegin::Break | PartBegin::Relative | PartBegin::Aside => {
                self.begin_part(false);
                self.position.begins = true;
                self.position.opener = Some(at);
                if word != "and" {
                    self.position.clause = self.last_part;
                }
            }
            PartBegin::Comparison if self.is_comparison(at, word) => {
                self.begin_part(true);
                self.is_from = word == "from";
            }
            PartBegin::Comparison => {}
        }
        length
    }

    /// Returns true if a word begins a comparison: not the `from` of a range such as `range from 12% to 14%`, and not the `than` of a limit
    /// or factor such as `more than 12%`.
    fn is_comparison(&self, at: usize, word: &str) -> bool {
        let is_between =
            |token: &&TextToken| token.word().is_some_and(|word| WORDS.before_figures.contains(word));
        let next = at + 1 + self.tokens.iter().skip(at + 1).take_while(is_between).count();
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        let word_before = before.and_then(TextToken::word);
        let is_number = |token: &TextToken| matches!(token.kind, TextTokenKind::Number(_));
        let is_figure = self.tokens.get(next).is_some_and(is_number);
        match word {
            "from" => {
                let is_range = matches!(word_before, Some("range" | "ranging" | "growth"))
                    && self.tokens.get(next + 1).is_some_and(|token| token.is_word("to"));
                let is_period = |token: &TextToken| matches!(token.kind, TextTokenKind::Period(_));
                // `up 12% from Q1 FY26`, but not `valid from Q1 FY27`.
                let is_period = before.is_some_and(is_number) && self.tokens.get(next).is_some_and(is_period);
                is_figure && !is_range || is_period
            }
            "than" => {
                let is_limit = matches!(word_before, Some("more" | "less" | "fewer"));
                !(is_limit && (is_figure || WORDS.actions.longest_at(self.tokens, at + 1).is_some()))
            }
            _ => true,
        }
    }
}
