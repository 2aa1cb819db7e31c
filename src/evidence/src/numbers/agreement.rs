//! Compares what a sentence says of its figures and actions with what passages say of theirs.
//!
//! A figure of the sentence agrees with one of the same value whose period, basis, party, direction, limit and expectation do not differ. An
//! action agrees with one of the same name, such as `rose` with `increased`, that is not denied or expected where the sentence is not. If the
//! measures of actions do not decide, the one that shares more words with the sentence does, so that `demand rose, prices fell` supports
//! `demand rose` alone.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::denied_word::{WordUse, word_uses};
use super::party::capital_words;
use super::read_text::ReadText;
use super::stated::StatedNumber;
use super::statement::{FactSubject, StatedFact};
use super::statement_reader::StatementReader;
use super::statement_words::WORDS;

/// Figures, actions and words of passages.
#[derive(Debug, Clone, Default)]
pub(super) struct StatedFacts {
    known: Vec<StatedFact>,
    word_uses: BTreeMap<String, WordUse>,
    /// Words of names in the passages.
    names: BTreeSet<String>,
    /// Words of the company's name.
    company: BTreeSet<String>,
}

impl StatedFacts {
    /// Makes an empty list for passages with these words of names.
    pub(super) fn new(names: BTreeSet<String>) -> Self {
        Self { names, ..Self::default() }
    }

    pub(super) fn add_company(&mut self, names: BTreeSet<String>) {
        self.company.extend(names);
    }

    pub(super) fn add(&mut self, passage: &ReadText) {
        let reader = StatementReader::new(passage, &self.names);
        let statements = reader.statements();
        self.known.extend(implied_moves(&statements));
        self.known.extend(statements);
        for (word, one) in word_uses(&reader) {
            self.word_uses.entry(word).or_default().add(&one);
        }
    }

    /// Returns the figures, actions and words of a sentence that the passages state in another way, each with the difference.
    pub(super) fn missing(&self, sentence: &str, read: &ReadText) -> Vec<String> {
        let names = self.names.union(&capital_words([sentence])).cloned().collect();
        let reader = StatementReader::new(read, &names);
        let statements = reader.statements();
        let differences = statements.iter().filter_map(|said| {
            let difference = match &said.subject {
                FactSubject::Figure(number) => self.other_figure(said, number),
                FactSubject::Action(name) => self.other_action(said, name),
            };
            Some(format!("{} with its {}", said.text, difference?))
        });
        let denied = word_uses(&reader).into_iter().filter_map(|(stem, said)| {
            let known = self.word_uses.get(&stem)?;
            (!known.supports(&said)).then(|| format!("{} with its denial", said.word))
        });
        differences.chain(denied).collect()
    }

    /// Returns the difference of a figure from all of its value; `None` if one agrees, or if there is none, which is found elsewhere.
    fn other_figure(&self, said: &StatedFact, number: &StatedNumber) -> Option<&'static str> {
        let is_of_measure = |known: &&StatedFact| {
            let is_open = said.measures.is_empty() || known.measures.is_empty();
            is_open || said.measures.iter().all(|measure| known.has_measure(measure))
        };
        let is_same = |known: &&StatedFact| known.figure().is_some_and(|known| known.supports(number));
        let mut first = None;
        for known in self.known.iter().filter(is_same).filter(is_of_measure) {
            let difference = known.difference(said, &self.company);
            let is_of_other =
                || self.has_other_subject(said, known, number) || self.is_of_aside(said, known, number);
            let difference = difference.or_else(|| is_of_other().then_some("subject"))?;
            first = first.or(Some(difference));
        }
        first
    }

    /// Returns true if the words of the sentence are those of another figure of the passages, and the figure has words that the sentence lacks.
    fn has_other_subject(&self, said: &StatedFact, known: &StatedFact, number: &StatedNumber) -> bool {
        let own: BTreeSet<&String> = said.words.difference(&known.sentence_words).collect();
        if own.is_empty() || known.words.is_subset(&said.sentence_words) {
            return false;
        }
        self.known.iter().any(|other| {
            let is_other = other.figure().is_some_and(|figure| !figure.supports(number));
            let is_of_measure = said.measures.is_empty()
                || other.measures.is_empty()
                || said.measures.iter().any(|measure| other.may_have_measure(measure));
            is_other
                && is_of_measure
                && own.iter().all(|word| other.words.contains(*word))
                && other.shared_words(said) > known.shared_words(said)
        })
    }

    /// Returns true if the sentence names what only an aside is about: after `Rs 500 crore, excluding restricted cash of Rs 40 crore`,
    /// `restricted cash was Rs 500 crore` does not agree.
    fn is_of_aside(&self, said: &StatedFact, known: &StatedFact, number: &StatedNumber) -> bool {
        let is_there = |other: &StatedFact| {
            let is_other = |figure: &StatedNumber| figure.unit == number.unit && !figure.supports(number);
            !other.scope.is_empty()
                && other.figure().is_some_and(is_other)
                && other.sentence_words == known.sentence_words
                && other.scope.is_subset(&said.words)
                && !other.scope.is_subset(&known.words)
        };
        known.scope.is_empty() && !said.is_aside && self.known.iter().any(is_there)
    }

    /// Returns the difference of an action from all of its name and the opposite one; `None` if one agrees.
    fn other_action(&self, said: &StatedFact, name: &str) -> Option<&'static str> {
        let opposite = WORDS.opposite(name);
        let is_near = |known: &StatedFact| {
            let mut measures = said.measures.iter();
            said.measures.is_empty() || measures.any(|measure| known.may_have_measure(measure))
        };
        let (mut agreeing, mut other): (Option<usize>, Option<(usize, &'static str)>) = (None, None);
        for known in self.known.iter().filter(|known| is_near(known)) {
            let difference = match known.action() {
                Some(known_name) if known_name == name => known.difference(said, &self.company),
                Some(known_name) if Some(known_name) == opposite => Some("direction"),
                _ => continue,
            };
            let shared = known.shared_words(said);
            match difference {
                None => agreeing = agreeing.max(Some(shared)),
                Some(difference) if other.is_none_or(|(most, _)| shared > most) => {
                    other = Some((shared, difference));
                }
                Some(_) => {}
            }
        }
        let (most, difference) = other.unwrap_or((0, "subject"));
        let is_lacking = agreeing.is_none() || !self.agrees_for_all(said, name, StatedFact::may_have_measure);
        let is_of_other = || {
            let is_sure =
                !said.measures.is_empty() && self.agrees_for_all(said, name, StatedFact::has_measure);
            !is_sure && agreeing.is_some_and(|shared| other.is_some() && most > shared)
        };
        (is_lacking || is_of_other()).then_some(difference)
    }

    /// Returns true if for each measure of an action one of the same name agrees that has the measure.
    fn agrees_for_all(&self, said: &StatedFact, name: &str, has: impl Fn(&StatedFact, &str) -> bool) -> bool {
        let agreeing: Vec<&StatedFact> = self
            .known
            .iter()
            .filter(|known| known.action() == Some(name) && known.difference(said, &self.company).is_none())
            .collect();
        said.measures.iter().all(|measure| agreeing.iter().any(|known| has(known, measure)))
    }
}

/// Returns a rise or fall for each figure that is compared with a past one: `Rs 450 crore against Rs 400 crore`.
fn implied_moves(statements: &[StatedFact]) -> Vec<StatedFact> {
    let figures: Vec<&StatedFact> = statements.iter().filter(|one| one.figure().is_some()).collect();
    let moves = figures.windows(2).filter_map(|pair| {
        let [one, next] = pair else { return None };
        let (present, past) = if next.is_past { (one, next) } else { (next, one) };
        let (value, before) = (present.figure()?, past.figure()?);
        let is_comparison = !present.is_past
            && past.is_past
            && value.unit == before.unit
            && value.currency == before.currency
            && present.sentence_words == past.sentence_words;
        let name = match value.value.partial_cmp(&before.value)? {
            Ordering::Greater => "rise",
            Ordering::Less => "fall",
            Ordering::Equal => return None,
        };
        let subject = FactSubject::Action(name.to_owned());
        is_comparison.then(|| StatedFact { subject, ..(*present).clone() })
    });
    moves.collect()
}
