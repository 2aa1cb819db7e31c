//! Reads the statements of a text.
//!
//! Of each kind of mark, a statement takes the nearest mark in its part of the sentence (for a figure, without another figure between);
//! else the last mark before it in the sentence; else the first one after it in the clause. A part such as `against Rs 400 crore` shares no
//! marks with other parts. Marks and parties of a relative clause apply within that clause only.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::mark_kind::MarkKind;
use super::parsed_text::ParsedText;
use super::party::Party;
use super::sentence_part::{TokenPosition, positions};
use super::stated::StatedNumber;
use super::stated_mark::StatedMark;
use super::statement::{FactSubject, NEAREST_KINDS, StatedFact};
use super::statement_words::{ActionWord, PartBegin, PartyKind, WORDS};
use super::text_token::{TextToken, TextTokenKind};

/// Number of tokens on each side of a figure or action that are read, so that long texts take linear time.
const TOKENS_AROUND: usize = 120;
/// Number of tokens before an action in which a form of `to be` makes it passive, and before a word such as `terminated` in which a denial
/// reverses it.
const TOKENS_BEFORE: usize = 3;
/// Forms of `to be`, in the singular.
const FORMS_OF_BE: [&str; 7] = ["was", "were", "been", "being", "is", "are", "be"];

/// A text with its parts, marks and parties.
pub(super) struct StatementReader<'a> {
    pub(super) text: &'a ParsedText,
    pub(super) positions: Vec<TokenPosition>,
    pub(super) marks: Vec<StatedMark>,
    parties: Vec<Party>,
    /// True for each token that is a figure of a measure.
    quantities: Vec<bool>,
}

impl<'a> StatementReader<'a> {
    pub(super) fn new(text: &'a ParsedText, names: &BTreeSet<String>) -> Self {
        let marks = StatedMark::all(text);
        let parties = Party::all(text, names, &marks);
        let is_quantity = |token: &TextToken| match token.kind {
            TextTokenKind::Number(number) => text
                .numbers
                .get(number)
                .is_some_and(|number| number.is_quantity() || number.has_measurement_unit()),
            _ => false,
        };
        let quantities = text.tokens.iter().map(is_quantity).collect();
        Self { text, positions: positions(&text.tokens, names), marks, parties, quantities }
    }

    /// Returns the figures and actions of the text.
    pub(super) fn statements(&self) -> Vec<StatedFact> {
        let mut statements = self.actions();
        let figures = (0..self.text.tokens.len()).filter_map(|at| {
            let number = self.number(at).filter(|number| number.is_figure())?;
            let mut figure = self.statement(&(at..at + 1), FactSubject::Figure(number.clone()));
            figure.measures.clone_from(&number.measures);
            figure.text = self.text.letters.original(number.start, number.end);
            let direction = self.direction(&figure, &statements);
            figure.marks.extend(direction.map(|name| (MarkKind::Direction, name)));
            Some(figure)
        });
        let figures: Vec<StatedFact> = figures.collect();
        statements.extend(figures);
        statements
    }

    fn actions(&self) -> Vec<StatedFact> {
        let phrases = WORDS.actions.all(&self.text.tokens).into_iter();
        let actions = phrases.map(|(range, word)| {
            let measures = self.text.measured.action_measures(range.start);
            let name = WORDS.direction(&word.name, &measures);
            let mut action = self.statement(&range, FactSubject::Action(name));
            action.measures = measures;
            action.is_denied = self.is_denied(&range);
            action.agents = self.agents(&range, word);
            action
        });
        actions.collect()
    }

    fn statement(&self, range: &Range<usize>, subject: FactSubject) -> StatedFact {
        let at = range.start;
        let mut marks = self.nearest_marks(range);
        marks.extend(self.mood(range).map(|mood| (MarkKind::Mood, mood)));
        let mut is_past = self.is_past(at);
        if let FactSubject::Figure(number) = &subject {
            marks.extend(self.limit(at).map(|limit| (MarkKind::Limit, limit)));
            match self.period_before(at) {
                Some(before) if number.may_be_change() && !is_past => {
                    marks.entry(MarkKind::Change).or_insert(before);
                }
                Some(_) => is_past = true,
                None => {}
            }
        }
        let first = self.text.tokens.get(at).map_or(0, |token| token.start);
        let sentence: Vec<usize> = self.window(at).filter(|other| self.is_in_sentence(at, *other)).collect();
        let in_part = sentence.iter().copied().filter(|other| self.is_in_part(at, *other));
        let subjects = in_part.filter(|other| !range.contains(other) && self.may_be_subject(*other));
        StatedFact {
            subject,
            at,
            part: self.position(at).part,
            text: self.text.letters.original(first, self.text.letters.run_end(first, char::is_alphabetic)),
            measures: Vec::new(),
            marks,
            is_past,
            is_denied: false,
            parties: self.statement_parties(range),
            agents: Vec::new(),
            scope: self.scope(at),
            is_aside: self.is_aside(at),
            words: self.words(subjects),
            sentence_words: self.words(sentence.iter().copied()),
        }
    }

    /// Returns the words among the tokens at these indices.
    fn words(&self, indices: impl Iterator<Item = usize>) -> BTreeSet<String> {
        indices.filter_map(|at| self.word(at)).map(str::to_owned).collect()
    }

    /// Returns the word at a token; `None` for a token of another kind.
    fn word(&self, at: usize) -> Option<&str> {
        self.text.tokens.get(at).and_then(TextToken::word)
    }

    fn position(&self, at: usize) -> TokenPosition {
        self.positions.get(at).copied().unwrap_or_default()
    }

    fn is_in_sentence(&self, one: usize, other: usize) -> bool {
        self.position(one).sentence == self.position(other).sentence
    }

    fn is_in_part(&self, one: usize, other: usize) -> bool {
        self.position(one).part == self.position(other).part
    }

    /// Returns true if a mark or party at one position may apply to a figure at another one of the same sentence.
    fn reaches(&self, from: usize, at: usize) -> bool {
        let relative = self.position(from).relative;
        self.is_in_sentence(from, at) && (relative == 0 || relative == self.position(at).relative)
    }

    /// Returns true in a part such as `excluding restricted cash`.
    fn is_aside(&self, at: usize) -> bool {
        let begin = |opener| WORDS.part_begins.longest_at(&self.text.tokens, opener);
        matches!(self.position(at).opener.and_then(begin), Some((_, PartBegin::Aside)))
    }

    /// Returns the words that limit a statement: words of a part such as `excluding restricted cash of Rs 40 crore` that the rest of the
    /// sentence lacks, or the location before `where we grew`.
    fn scope(&self, at: usize) -> BTreeSet<String> {
        let Some(opener) = self.position(at).opener else { return BTreeSet::new() };
        if self.word(opener) == Some("where") {
            let antecedent = self.antecedent(at).map(|(_, party)| party);
            let antecedent = antecedent.filter(|party| party.kind != PartyKind::Company);
            return antecedent.map(|party| party.word.clone()).into_iter().collect();
        }
        // In `cash excluding deposits was Rs 40 crore` the figure is an amount of cash.
        let is_verb =
            |mark: &StatedMark| mark.kind == MarkKind::Mood && (opener..at).contains(&mark.range.start);
        if !self.is_aside(at) || self.number(at).is_none() || self.marks_near(at).any(is_verb) {
            return BTreeSet::new();
        }
        let is_named = |other: &usize| self.is_in_sentence(at, *other) && self.may_be_subject(*other);
        let (in_part, rest): (Vec<usize>, Vec<usize>) =
            self.window(at).filter(is_named).partition(|other| self.is_in_part(at, *other));
        let (before, after): (Vec<usize>, Vec<usize>) = in_part.into_iter().partition(|other| *other < at);
        let rest = self.words(rest.into_iter());
        let before = &self.words(before.into_iter()) - &rest;
        if before.is_empty() { &self.words(after.into_iter()) - &rest } else { before }
    }

    /// Returns the first word of the relative clause around a token, and the last party before that clause.
    fn antecedent(&self, at: usize) -> Option<(&str, &Party)> {
        let relative = self.position(at).relative;
        let comma = (self.window(at).start..at).find(|index| self.position(*index).relative == relative)?;
        let word = self.word(comma + 1)?;
        let party = self.parties_near(at).take_while(|party| party.at < comma).last()?;
        (relative != 0).then_some((word, party))
    }

    /// Returns the range of tokens that are read around a token.
    fn window(&self, at: usize) -> Range<usize> {
        at.saturating_sub(TOKENS_AROUND)..self.text.tokens.len().min(at + TOKENS_AROUND)
    }

    /// Returns the marks around a token that may apply to it, in order.
    fn marks_near(&self, at: usize) -> impl DoubleEndedIterator<Item = &StatedMark> + Clone {
        let window = self.window(at);
        let first = self.marks.partition_point(|mark| mark.range.start < window.start);
        let end = self.marks.partition_point(|mark| mark.range.start < window.end);
        let marks = self.marks.get(first..end).unwrap_or_default().iter();
        marks.filter(move |mark| self.reaches(mark.range.start, at))
    }

    /// Returns true for a word that may name the subject of a statement: neither a function word, a word for the company, nor part of a
    /// mark.
    fn may_be_subject(&self, at: usize) -> bool {
        let tokens = &self.text.tokens;
        let before = self.marks.partition_point(|mark| mark.range.start <= at);
        let mark = before.checked_sub(1).and_then(|before| self.marks.get(before));
        let party = WORDS.parties.longest_at(tokens, at).map(|(_, kind)| *kind);
        self.word(at).is_some_and(|word| !WORDS.is_function_word(word))
            && mark.is_none_or(|mark| !mark.range.contains(&at))
            && party != Some(PartyKind::Company)
            && WORDS.part_begins.longest_at(tokens, at).is_none()
    }

    /// Returns true if a figure is between two tokens.
    fn is_blocked(&self, one: usize, other: usize) -> bool {
        let mut between = one.min(other) + 1..one.max(other);
        between.any(|at| self.is_quantity(at))
    }

    /// Returns the number at a token.
    fn number(&self, at: usize) -> Option<&StatedNumber> {
        match self.text.tokens.get(at)?.kind {
            TextTokenKind::Number(number) => self.text.numbers.get(number),
            _ => None,
        }
    }

    fn is_quantity(&self, at: usize) -> bool {
        self.quantities.get(at).copied().unwrap_or_default()
    }

    /// Returns the marks that apply to a statement; none in a sentence with `respectively`, where the nearest one may be that of another
    /// figure.
    fn nearest_marks(&self, range: &Range<usize>) -> BTreeMap<MarkKind, String> {
        let is_list =
            |at: usize| self.word(at) == Some("respectively") && self.is_in_sentence(range.start, at);
        if self.window(range.start).any(is_list) {
            return BTreeMap::new();
        }
        let nearest = NEAREST_KINDS.into_iter().filter_map(|kind| {
            let mark = self.nearest_mark(range, kind)?;
            Some((kind, mark.value.clone()))
        });
        nearest.collect()
    }

    /// Returns the mark of a kind that applies to a statement.
    fn nearest_mark(&self, range: &Range<usize>, kind: MarkKind) -> Option<&StatedMark> {
        let at = range.start;
        let marks =
            self.marks_near(at).filter(|mark| mark.kind == kind && !range.contains(&mark.range.start));
        let may_cross = kind != MarkKind::Change && self.number(at).is_none();
        let is_free = |mark: &&StatedMark| may_cross || !self.is_blocked(at, mark.range.start);
        let in_part = marks.clone().filter(|mark| self.is_in_part(at, mark.range.start)).filter(is_free);
        let nearest = in_part.min_by_key(|mark| at.abs_diff(mark.range.start));
        if nearest.is_some() || self.position(at).is_compared || kind == MarkKind::Result {
            return nearest;
        }
        let is_open = |mark: &&StatedMark| !self.position(mark.range.start).is_compared;
        let back = marks.clone().rev().filter(|mark| mark.range.start < at).find(is_open);
        let ahead = marks.clone().find(|mark| {
            let index = mark.range.start;
            let is_compared = (at..=index).any(|index| self.position(index).is_compared);
            index > at && self.position(index).clause == self.position(at).clause && !is_compared
        });
        if kind == MarkKind::Change {
            return ahead.filter(is_free).or_else(|| back.filter(is_free));
        }
        back.or(ahead)
    }

    /// Returns true for a token in a comparison, unless a past period comes before it there: `compared with last year they rose 9%`.
    fn is_past(&self, at: usize) -> bool {
        let is_before = |mark: &StatedMark| {
            mark.kind == MarkKind::Before && mark.range.start < at && self.is_in_part(at, mark.range.start)
        };
        self.position(at).is_compared && !self.marks_near(at).any(is_before)
    }

    /// Returns the past period of a figure, such as `year` for `a year ago`. The phrase follows the figure, or has no other figure before
    /// it.
    fn period_before(&self, at: usize) -> Option<String> {
        let is_of_figure = |mark: &&StatedMark| {
            let index = mark.range.start;
            let is_before = |other: usize| other < index && other != at && self.is_in_part(at, other);
            let has_figure = || self.window(at).any(|other| is_before(other) && self.is_quantity(other));
            mark.kind == MarkKind::Before
                && self.is_in_part(at, index)
                && !self.is_blocked(at, index)
                && (index > at || !has_figure())
        };
        self.marks_near(at).find(is_of_figure).map(|mark| mark.value.clone())
    }

    /// Returns the limit directly before a figure, such as `at most` for `up to Rs 500 crore`.
    fn limit(&self, at: usize) -> Option<String> {
        let is_between =
            |index: usize| self.word(index).is_some_and(|word| WORDS.before_figures.contains(word));
        let limit = self.marks_near(at).rev().find(|mark| {
            mark.kind == MarkKind::Limit && mark.range.end <= at && (mark.range.end..at).all(is_between)
        });
        limit.map(|mark| mark.value.clone())
    }

    /// Returns `expected` or `actual`. A word such as `expects` applies until a later part has a word such as `was`; it does not apply
    /// after such a word in its own part: `was above guidance`.
    fn mood(&self, range: &Range<usize>) -> Option<String> {
        let moods = self.marks_near(range.start).filter(|mark| mark.kind == MarkKind::Mood);
        let is_actual = |mark: &StatedMark| mark.value == "actual";
        let is_in_part = |mark: &StatedMark| self.is_in_part(range.start, mark.range.start);
        let mut last: Option<&StatedMark> = None;
        for mark in moods.clone().filter(|mark| mark.range.start < range.start) {
            let changes = if is_actual(mark) {
                last.is_none_or(|last| {
                    is_actual(last) || !self.is_in_part(last.range.start, mark.range.start)
                })
            } else {
                !moods.clone().any(|other| {
                    is_actual(other)
                        && self.is_in_part(other.range.start, mark.range.start)
                        && other.range.end + 1 < mark.range.start
                })
            };
            if changes {
                last = Some(mark);
            }
        }
        let after = || {
            moods.clone().find(|mark| mark.range.start >= range.end && !is_actual(mark) && is_in_part(mark))
        };
        let any = || moods.clone().find(|mark| is_actual(mark) && is_in_part(mark));
        last.or_else(after).or_else(any).map(|mark| mark.value.clone())
    }

    /// Returns true if the text denies an action.
    fn is_denied(&self, range: &Range<usize>) -> bool {
        let clause = |at: usize| self.position(at).clause;
        let denials = self
            .marks_near(range.start)
            .filter(|mark| mark.kind == MarkKind::Denial && clause(mark.range.start) == clause(range.start));
        let is_determiner = |at: usize| self.word(at).is_some_and(|word| WORDS.determiners.contains(word));
        denials.clone().any(|mark| {
            let (start, end) = (mark.range.start, mark.range.end);
            match mark.value.as_str() {
                "following" => end <= range.start,
                "noun" => start == range.end || end <= range.start && !(end..range.start).any(is_determiner),
                "clause" => {
                    let is_denied = denials.clone().any(|other| {
                        other.value == "following"
                            && (start.saturating_sub(TOKENS_BEFORE)..start).contains(&other.range.start)
                    });
                    start != range.start && !is_denied
                }
                _ => false,
            }
        })
    }

    /// Returns the parties in the part of a statement; if it has none, those of the last part before it that has parties.
    fn statement_parties(&self, range: &Range<usize>) -> Vec<Party> {
        let at = range.start;
        let parties = self.parties_near(at).filter(|party| !range.contains(&party.at));
        let in_part: Vec<Party> =
            parties.clone().filter(|party| self.is_in_part(at, party.at)).cloned().collect();
        if !in_part.is_empty() || self.position(at).is_compared {
            return in_part;
        }
        let before = parties.filter(|party| party.at < at && !self.position(party.at).is_compared);
        let last = before.clone().last().map(|party| party.at);
        let of_last = before.filter(|party| last.is_some_and(|last| self.is_in_part(last, party.at)));
        of_last.cloned().collect()
    }

    fn parties_near(&self, at: usize) -> impl Iterator<Item = &Party> + Clone {
        let window = self.window(at);
        let first = self.parties.partition_point(|party| party.at < window.start);
        let end = self.parties.partition_point(|party| party.at < window.end);
        let parties = self.parties.get(first..end).unwrap_or_default().iter();
        parties.filter(move |party| self.reaches(party.at, at))
    }

    /// Returns the parties that may do an action: for a passive verb the party after `by`; else the parties before it in its part and
    /// relative clause, or if there are none, the party before `who`. A rise or fall has none.
    fn agents(&self, range: &Range<usize>, word: &ActionWord) -> Vec<Party> {
        let is_move = matches!(word.name.as_str(), "rise" | "fall" | "better" | "worse");
        if word.is_open || is_move {
            return Vec::new();
        }
        let at = range.start;
        let is_be = |index: usize| {
            self.position(index).clause == self.position(at).clause
                && self.word(index).is_some_and(|word| FORMS_OF_BE.contains(&word))
        };
        let parties = self.parties_near(at).filter(|party| party.kind != PartyKind::Segment);
        if (at.saturating_sub(TOKENS_BEFORE)..at).any(is_be) {
            let by = (range.end..self.window(at).end)
                .take_while(|index| self.is_in_sentence(at, *index))
                .find(|index| self.word(*index) == Some("by"));
            let after = by.map(|by| by + 1..=by + 1 + TOKENS_BEFORE);
            let is_after = |party: &&Party| after.as_ref().is_some_and(|after| after.contains(&party.at));
            let first = parties.clone().find(is_after);
            return first.cloned().into_iter().collect();
        }
        let is_beside = |index: usize| self.position(index).relative == self.position(at).relative;
        let is_before = |party: &&Party| {
            let begins = |index: usize| self.position(index).begins && is_beside(index);
            party.at < at && is_beside(party.at) && !(party.at..at).any(begins)
        };
        let before: Vec<Party> = parties.filter(is_before).cloned().collect();
        let head =
            self.antecedent(at).filter(|(word, party)| *word == "who" && party.kind != PartyKind::Segment);
        match head {
            Some((_, head)) if before.is_empty() => vec![head.clone()],
            _ => before,
        }
    }

    /// Returns `rise` or `fall`: the nearest one in the part of a figure, without another figure of the same unit between.
    fn direction(&self, figure: &StatedFact, actions: &[StatedFact]) -> Option<String> {
        let number = figure.figure()?;
        let first = actions.partition_point(|action| action.at < self.window(figure.at).start);
        let actions_in_window =
            actions.iter().skip(first).take_while(|action| action.at < self.window(figure.at).end);
        let is_same_unit = |at: usize| {
            self.is_quantity(at) && self.number(at).is_some_and(|other| other.unit == number.unit)
        };
        let moves = actions_in_window.filter(|action| {
            let mut between = figure.at.min(action.at) + 1..figure.at.max(action.at);
            action.part == figure.part
                && matches!(action.action(), Some("rise" | "fall"))
                && !between.any(is_same_unit)
        });
        moves.min_by_key(|action| action.at.abs_diff(figure.at))?.action().map(str::to_owned)
    }
}
