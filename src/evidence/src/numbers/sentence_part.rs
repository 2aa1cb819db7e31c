//! The parts of sentences: a figure of `against Rs 400 crore` is not one of the part before it, and `Smith, who succeeded Jones, resigned` says
//! `Smith resigned` around a relative clause.

use std::collections::BTreeSet;

use super::statement_words::{PartBegin, WORDS};
use super::text_token::{TextToken, TextTokenKind};

/// The place of a token among the parts of a text, by their numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct SentencePlace {
    pub(super) sentence: usize,
    /// A clause ends at a mark or a word such as `but`; a part also ends at `and`.
    pub(super) clause: usize,
    pub(super) part: usize,
    /// True in a part such as `against Rs 400 crore`.
    pub(super) is_compared: bool,
    /// True for the first word of a part that a word such as `and` begins.
    pub(super) begins: bool,
    /// The first token of a part that such a word begins.
    pub(super) opener: Option<usize>,
    /// Number of the relative clause after a comma; 0 outside of one.
    pub(super) relative: usize,
}

/// Returns the place of each token. Names with a comma between them, such as a town and its state, are in one part.
pub(super) fn positions(tokens: &[TextToken], names: &BTreeSet<String>) -> Vec<SentencePlace> {
    let now = SentencePlace::default();
    let mut reader = PartReader { tokens, names, now, last: 0, bracket: None, outer: None, is_from: false };
    let mut phrase_end = 0;
    let mut positions = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        reader.now.begins = false;
        match &token.kind {
            TextTokenKind::Stop => reader.end_sentence(),
            TextTokenKind::Break(mark) => reader.pass_mark(at, *mark),
            TextTokenKind::Word(word) if at >= phrase_end => phrase_end = at + reader.pass_word(at, word),
            _ => {}
        }
        positions.push(reader.now);
    }
    positions
}

/// Reads the tokens of a text in order.
struct PartReader<'a> {
    tokens: &'a [TextToken],
    names: &'a BTreeSet<String>,
    now: SentencePlace,
    /// Number of the last part.
    last: usize,
    /// The position before the open bracket.
    bracket: Option<SentencePlace>,
    /// The position before the open relative clause.
    outer: Option<SentencePlace>,
    /// True if the present comparison began with `from`, which `to` ends.
    is_from: bool,
}

impl PartReader<'_> {
    fn begin_part(&mut self, is_compared: bool) {
        self.last += 1;
        self.now.part = self.last;
        self.now.is_compared = is_compared;
        self.now.opener = None;
    }

    fn end_sentence(&mut self) {
        self.bracket = None;
        self.outer = None;
        self.begin_part(false);
        self.now.sentence = self.last;
        self.now.clause = self.last;
        self.now.relative = 0;
    }

    fn pass_mark(&mut self, at: usize, mark: char) {
        if mark == '(' {
            self.bracket = Some(self.now);
            self.begin_part(false);
            return;
        }
        if mark == ')'
            && let Some(outer) = self.bracket.take()
        {
            self.now = outer;
            // A relative clause that began within the brackets ends with them.
            self.outer = self.outer.filter(|_| outer.relative != 0);
            return;
        }
        if mark == ',' && at.checked_sub(1).is_some_and(|before| self.is_name(before)) && self.is_name(at + 1)
        {
            return;
        }
        let next = WORDS.part_begins.at(self.tokens, at + 1).map(|(_, begin)| *begin);
        let (before, outer) = (self.now, self.outer.take());
        if let Some(outer) = outer.filter(|_| mark == ',' && next.is_none() && !self.is_name(at + 1)) {
            self.now = outer;
            return;
        }
        let goes_on = self.tokens.get(at + 1).is_some_and(|next| next.is_word("or"));
        self.begin_part(goes_on && self.now.is_compared);
        self.now.clause = self.last;
        self.now.relative = 0;
        if mark == ',' && next == Some(PartBegin::Relative) {
            self.outer = outer.or(Some(before));
            self.now.relative = self.last;
        }
    }

    fn is_name(&self, at: usize) -> bool {
        let word = self.tokens.get(at).and_then(TextToken::word);
        word.is_some_and(|word| self.names.contains(word))
    }

    /// Reads a word; returns the number of words of its phrase.
    fn pass_word(&mut self, at: usize, word: &str) -> usize {
        let Some((length, begin)) = WORDS.part_begins.at(self.tokens, at) else {
            if word == "to" && self.now.is_compared && self.is_from {
                self.begin_part(false);
            }
            return 1;
        };
        match begin {
            PartBegin::Break | PartBegin::Relative | PartBegin::Aside => {
                self.begin_part(false);
                self.now.begins = true;
                self.now.opener = Some(at);
                if word != "and" {
                    self.now.clause = self.last;
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

    /// Returns true if a word begins a comparison: not the `from` of a range such as `range from 12% to 14%`, and not the `than` of a limit or
    /// factor such as `more than 12%`.
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
                !(is_limit && (is_figure || WORDS.actions.at(self.tokens, at + 1).is_some()))
            }
            _ => true,
        }
    }
}
