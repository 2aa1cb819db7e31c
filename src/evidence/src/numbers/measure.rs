//! The measure of a figure, such as revenue or EBITDA margin, by the words of `queries/tone/measures.toml` around it.
//!
//! A figure has the measure directly before it (`revenue grew to 450`), else that directly after it (`15% growth in revenue`), else the
//! nearest one of its part of the sentence, else the last one before it, else the first one after it. Joined measures, as in `revenue and
//! profit`, share the figures after them; as many figures of one unit belong to one measure each, in order.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use parquote_catalogue::operation::built_in;
use serde::Deserialize;

use super::parts::singular;
use super::phrases::PhraseIndex;
use super::stated::{StatedNumber, StatedUnit};
use super::text_token::{TextToken, TextTokenKind};

/// The words of the built-in file.
static WORDS: LazyLock<MeasureWords> = LazyLock::new(|| MeasureWords::new(built_in("tone/measures.toml")));

/// Name of the measure `margin`. After `EBITDA` in a sentence it means `EBITDA margin`.
const MARGIN: &str = "margin";
/// Maximum number of tokens between a figure and its measure, so that long texts take linear time.
const TOKENS_AROUND: usize = 120;

/// The file of words.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct MeasureFile {
    ignored: Vec<String>,
    before: Vec<String>,
    after: Vec<String>,
    breaks: Vec<String>,
    joins: Vec<String>,
    no_objects: Vec<String>,
    #[serde(rename = "measure")]
    measures: Vec<DeclaredMeasure>,
}

/// A measure with the phrases that name it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredMeasure {
    name: String,
    /// Name of a more general measure, such as `profit` for `net profit`.
    general: Option<String>,
    phrases: Vec<String>,
}

/// The lists of the file, with an index of its phrases.
struct MeasureWords {
    file: MeasureFile,
    /// Phrases with the name of their measure; `None` for ignored phrases.
    phrases: PhraseIndex<Option<String>>,
    /// All words of the phrases of measures.
    words: HashSet<String>,
}

/// A token of a text in which measures are recognized.
#[derive(Debug, Clone, PartialEq)]
enum MeasureToken {
    /// A word in lower case and the singular.
    Word(String),
    /// A measure, by its name.
    Measure(&'static str),
    /// A figure, by its index among the numbers of the text.
    Figure(usize),
    /// A mark between parts of a sentence.
    Break,
    /// The end of a sentence.
    Stop,
}

impl MeasureWords {
    fn new(mut file: MeasureFile) -> Self {
        let lists =
            [&mut file.before, &mut file.after, &mut file.breaks, &mut file.joins, &mut file.no_objects];
        for word in lists.into_iter().flatten() {
            *word = singular(word);
        }
        let of_measures = || {
            file.measures.iter().flat_map(|measure| {
                measure.phrases.iter().map(move |phrase| (phrase.as_str(), Some(measure.name.clone())))
            })
        };
        let ignored = file.ignored.iter().map(|phrase| (phrase.as_str(), None));
        let phrases = PhraseIndex::new(of_measures().chain(ignored));
        let words = of_measures().flat_map(|(phrase, _)| phrase.split(' ').map(singular)).collect();
        Self { file, phrases, words }
    }

    fn declared(&self, name: &str) -> Option<&DeclaredMeasure> {
        self.file.measures.iter().find(|measure| measure.name == name)
    }
}

/// Returns true if there is a measure of this name.
pub(super) fn is_measure(name: &str) -> bool {
    WORDS.declared(name).is_some()
}

/// Returns true if a figure of the measure `stated` is also a figure of `claimed`: the same measure, or a more general one.
pub(super) fn covers(stated: &str, claimed: &str) -> bool {
    let general = || WORDS.declared(stated)?.general.as_deref();
    stated == claimed || general().is_some_and(|general| covers(general, claimed))
}

/// Returns true for a word of a phrase that names a measure.
pub(super) fn is_word_of_measure(word: &str) -> bool {
    WORDS.words.contains(word)
}

/// The tokens of a text with measures in place of their phrases, without periods and ignored phrases.
pub(super) struct MeasuredText {
    tokens: Vec<MeasureToken>,
    /// For each token, the index of its first word among the tokens of the text.
    origins: Vec<usize>,
}

impl MeasuredText {
    pub(super) fn new(text: &[TextToken], numbers: &[StatedNumber]) -> Self {
        let mut measured = Self { tokens: Vec::with_capacity(text.len()), origins: Vec::new() };
        let mut at = 0;
        while let Some(token) = text.get(at) {
            let phrase = WORDS.phrases.longest_at(text, at);
            let measure_token = match (phrase, &token.kind) {
                (Some((_, measure)), _) => {
                    let name = measure.as_deref();
                    name.map(|name| MeasureToken::Measure(special_margin(name, &measured.tokens)))
                }
                (None, TextTokenKind::Word(word)) => Some(MeasureToken::Word(word.clone())),
                (None, TextTokenKind::Number(number)) => numbers
                    .get(*number)
                    .filter(|number| number.is_quantity() || number.has_measurement_unit())
                    .map(|_| MeasureToken::Figure(*number)),
                (None, TextTokenKind::Break(_)) => Some(MeasureToken::Break),
                (None, TextTokenKind::Stop) => Some(MeasureToken::Stop),
                (None, TextTokenKind::Period(_)) => None,
            };
            if let Some(token) = measure_token {
                measured.tokens.push(token);
                measured.origins.push(at);
            }
            at += phrase.map_or(1, |(length, _)| length);
        }
        measured
    }

    /// Sets the measures of the numbers of the text.
    pub(super) fn assign(&self, numbers: &mut [StatedNumber]) {
        for (at, token) in self.tokens.iter().enumerate() {
            let MeasureToken::Figure(number) = token else { continue };
            let measures = MeasureFinder { tokens: &self.tokens, numbers: &*numbers }.measures(at, *number);
            if let Some(number) = numbers.get_mut(*number) {
                number.measures = measures;
            }
        }
    }

    /// Returns all measures that the text names.
    pub(super) fn measure_names(&self) -> BTreeSet<&'static str> {
        let measure_names = self.tokens.iter().filter_map(|token| match token {
            MeasureToken::Measure(name) => Some(*name),
            _ => None,
        });
        measure_names.collect()
    }

    /// Returns the measures to which an action applies, such as the measures that rose; `origin` is the token of the action in the text.
    pub(super) fn action_measures(&self, origin: usize) -> Vec<&'static str> {
        let finder = MeasureFinder { tokens: &self.tokens, numbers: &[] };
        self.origins.binary_search(&origin).map(|at| finder.action_measures(at)).unwrap_or_default()
    }
}

/// Returns the margin of the last measure of the sentence for a bare `margin`, and every other measure as it is.
fn special_margin(name: &'static str, before: &[MeasureToken]) -> &'static str {
    if name != MARGIN {
        return name;
    }
    let sentence = before.iter().rev().take(TOKENS_AROUND).take_while(|token| **token != MeasureToken::Stop);
    let mut margins = sentence.filter_map(|token| {
        let MeasureToken::Measure(last) = token else { return None };
        WORDS.declared(&format!("{last} {MARGIN}"))
    });
    margins.next().map_or(name, |margin| margin.name.as_str())
}

/// Finds the measures of figures.
struct MeasureFinder<'a> {
    tokens: &'a [MeasureToken],
    numbers: &'a [StatedNumber],
}

/// Indices of the nearest measures before (`back`) and after (`ahead`) a token; `None` where there is none.
#[derive(Debug, Clone, Copy, Default)]
struct NearMeasures {
    /// With nothing but words such as `was`, or figures, between.
    directly_back: Option<usize>,
    directly_ahead: Option<usize>,
    /// In the same part of the sentence.
    near_back: Option<usize>,
    near_ahead: Option<usize>,
    /// In the same sentence.
    back: Option<usize>,
    ahead: Option<usize>,
}

impl MeasureFinder<'_> {
    /// Returns the measures of the figure at a position.
    fn measures(&self, at: usize, number: usize) -> Vec<&'static str> {
        let candidates = self.near_measures(at);
        let chosen = candidates
            .directly_back
            .or(candidates.near_back.filter(|_| self.is_share(at, number)))
            .or(candidates.directly_ahead)
            .or(candidates.near_back)
            .or(candidates.near_ahead)
            .or(candidates.back)
            .or_else(|| self.measure_before(self.sentence(at).start))
            .or(candidates.ahead);
        chosen.map(|chosen| self.joined_measures(chosen, at)).unwrap_or_default()
    }

    /// Returns the measures of the action at a position. An action with an object, as in `reduced net debt`, has the measure after it
    /// alone.
    fn action_measures(&self, at: usize) -> Vec<&'static str> {
        let candidates = self.near_measures(at);
        let words = &WORDS.file;
        let is_no_object = |word: &String| {
            [&words.before, &words.breaks, &words.no_objects].iter().any(|list| list.contains(word))
        };
        let has_object = match self.tokens.get(at + 1) {
            Some(MeasureToken::Word(word)) => !is_no_object(word) && !word.ends_with("ly"),
            Some(MeasureToken::Measure(_)) => true,
            _ => false,
        };
        let chosen = if has_object {
            candidates.near_ahead
        } else {
            candidates
                .directly_back
                .or(candidates.directly_ahead)
                .or(candidates.near_back)
                .or(candidates.back)
        };
        let joined = chosen.map(|chosen| self.joined_indices(chosen)).unwrap_or_default();
        self.names(&joined)
    }

    /// Returns the measures around a token of the same sentence.
    fn near_measures(&self, at: usize) -> NearMeasures {
        let sentence = self.sentence(at);
        let back = self.measure_before(at).filter(|back| sentence.contains(back));
        let ahead = (at + 1..sentence.end).find(|index| self.is_measure(*index));
        let words = &WORDS.file;
        let is_before = |token: &MeasureToken| match token {
            MeasureToken::Word(word) => words.before.contains(word),
            MeasureToken::Figure(_) => true,
            _ => false,
        };
        let is_after =
            |token: &MeasureToken| matches!(token, MeasureToken::Word(word) if words.after.contains(word));
        let is_inside = |token: &MeasureToken| match token {
            MeasureToken::Word(word) => !words.breaks.contains(word),
            token => *token != MeasureToken::Break,
        };
        NearMeasures {
            directly_back: back.filter(|back| self.between(*back, at).iter().all(is_before)),
            directly_ahead: ahead.filter(|ahead| self.between(at, *ahead).iter().all(is_after)),
            near_back: back.filter(|back| self.between(*back, at).iter().all(is_inside)),
            near_ahead: ahead.filter(|ahead| self.between(at, *ahead).iter().all(is_inside)),
            back,
            ahead,
        }
    }

    /// Returns the names of the measures at these indices, each once.
    fn names(&self, indices: &[usize]) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = Vec::new();
        for index in indices {
            if let Some(MeasureToken::Measure(name)) = self.tokens.get(*index)
                && !names.contains(name)
            {
                names.push(name);
            }
        }
        names
    }

    /// Returns the last measure before a position.
    fn measure_before(&self, end: usize) -> Option<usize> {
        (end.saturating_sub(TOKENS_AROUND)..end).rev().find(|index| self.is_measure(*index))
    }

    fn is_measure(&self, index: usize) -> bool {
        matches!(self.tokens.get(index), Some(MeasureToken::Measure(_)))
    }

    /// Returns the tokens between two positions.
    fn between(&self, before: usize, after: usize) -> &[MeasureToken] {
        self.tokens.get(before + 1..after).unwrap_or_default()
    }

    /// Returns the range of tokens of the sentence around a token.
    fn sentence(&self, at: usize) -> Range<usize> {
        let is_stop = |index: &usize| self.tokens.get(*index) == Some(&MeasureToken::Stop);
        let (first, last) = (at.saturating_sub(TOKENS_AROUND), self.tokens.len().min(at + TOKENS_AROUND));
        let start = (first..at).rev().find(is_stop).map_or(first, |stop| stop + 1);
        start..(at..last).find(is_stop).unwrap_or(last)
    }

    /// Returns true for a share such as `12% of revenue`, which is not a figure of revenue.
    fn is_share(&self, at: usize, number: usize) -> bool {
        let is_percent = self.numbers.get(number).is_some_and(|number| number.unit == StatedUnit::Percent);
        is_percent && matches!(self.tokens.get(at + 1), Some(MeasureToken::Word(word)) if word == "of")
    }

    /// Returns the measures of the figure at a token: the measure `chosen` and those joined with it. If as many figures of one unit follow,
    /// the figure has one of them, by its order.
    fn joined_measures(&self, chosen: usize, at: usize) -> Vec<&'static str> {
        let joined = self.joined_indices(chosen);
        let names = self.names(&joined);
        let last = joined.last().copied().unwrap_or(chosen);
        if names.len() < 2 || at < last {
            return names;
        }
        let end = self.sentence(at).end;
        let end = (last + 1..end).find(|index| self.is_measure(*index)).unwrap_or(end);
        let figures: Vec<(usize, &StatedNumber)> = (last + 1..end)
            .filter_map(|index| match self.tokens.get(index) {
                Some(MeasureToken::Figure(number)) => {
                    Some((index, self.numbers.get(*number).filter(|number| number.is_quantity())?))
                }
                _ => None,
            })
            .collect();
        let rows = figures.chunks(names.len());
        let mut row = rows.filter(|row| row.iter().any(|(index, _)| *index == at));
        let Some(row) = row.next().filter(|row| row.len() == names.len()) else { return names };
        let is_of_unit = |pair: &[(usize, &StatedNumber)]| match pair {
            [(_, one), (_, other)] => one.unit == other.unit && one.currency == other.currency,
            _ => true,
        };
        let index = row.iter().position(|(index, _)| *index == at);
        let name = index.and_then(|index| names.get(index)).filter(|_| row.windows(2).all(is_of_unit));
        name.map_or(names.clone(), |name| vec![*name])
    }

    /// Returns the indices of a measure and of those joined with it, in order.
    fn joined_indices(&self, chosen: usize) -> Vec<usize> {
        let is_join = |token: &MeasureToken| match token {
            MeasureToken::Word(word) => WORDS.file.joins.contains(word),
            token => *token == MeasureToken::Break,
        };
        let are_joined = |one: usize, other: usize| {
            let between = self.between(one, other);
            !between.is_empty() && between.iter().all(is_join)
        };
        let window = chosen.saturating_sub(TOKENS_AROUND)..chosen + TOKENS_AROUND;
        let measures: Vec<usize> = window.filter(|index| self.is_measure(*index)).collect();
        let index = measures.iter().position(|index| *index == chosen).unwrap_or_default();
        let is_next = |pair: &&[usize]| matches!(pair, [one, other] if are_joined(*one, *other));
        let head = measures.get(..=index).unwrap_or_default();
        let tail = measures.get(index..).unwrap_or_default();
        let before = head.windows(2).rev().take_while(is_next).count();
        let after = tail.windows(2).take_while(is_next).count();
        measures.get(index - before..=index + after).unwrap_or_default().to_vec()
    }
}
