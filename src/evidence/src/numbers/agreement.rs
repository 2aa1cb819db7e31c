//! Compares what a sentence says of its figures and actions with what passages say of theirs.
//!
//! A figure of the sentence agrees with a figure of the same value whose period, basis, party, direction, limit and expectation do not
//! differ. An action agrees with an action of the same name (`rose` and `increased` have one name) that is denied exactly if the sentence
//! denies it, and that is not merely expected where the sentence states it. If one action agrees and another does not, and their measures
//! do not decide, the action that shares more words with the sentence counts: `demand rose, prices fell` supports `demand rose` and not
//! `prices rose`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::denied_word::{WordUse, word_uses};
use super::parsed_text::ParsedText;
use super::party::capital_words;
use super::stated::StatedNumber;
use super::statement::{FactSubject, StatedFact};
use super::statement_reader::StatementReader;
use super::statement_words::WORDS;

/// Figures, actions and words of passages.
#[derive(Debug, Clone, Default)]
pub(super) struct StatedFacts {
    facts: Vec<StatedFact>,
    /// Uses of words, by the stem of the word.
    word_uses: BTreeMap<String, WordUse>,
    /// Words of names in the passages.
    names: BTreeSet<String>,
    /// Words of the company's name.
    company: BTreeSet<String>,
}

impl StatedFacts {
    /// Starts without facts; `names` are the words of names in the passages.
    pub(super) fn new(names: BTreeSet<String>) -> Self {
        Self { names, ..Self::default() }
    }

    pub(super) fn add_company(&mut self, names: BTreeSet<String>) {
        self.company.extend(names);
    }

    pub(super) fn add(&mut self, passage: &ParsedText) {
        let reader = StatementReader::new(passage, &self.names);
        let statements = reader.statements();
        self.facts.extend(implied_moves(&statements));
        self.facts.extend(statements);
        for (stem, usage) in word_uses(&reader) {
            self.word_uses.entry(stem).or_default().add(&usage);
        }
    }

    /// Returns the figures, actions and words of a sentence that the passages state in another way, each with the difference.
    pub(super) fn missing(&self, sentence: &str, read: &ParsedText) -> Vec<String> {
        let names = self.names.union(&capital_words([sentence])).cloned().collect();
        let reader = StatementReader::new(read, &names);
        let statements = reader.statements();
        let differences = statements.iter().filter_map(|claim| {
            let difference = match &claim.subject {
                FactSubject::Figure(number) => self.figure_difference(claim, number),
                FactSubject::Action(name) => self.action_difference(claim, name),
            };
            Some(format!("{} with its {}", claim.text, difference?))
        });
        let denied = word_uses(&reader).into_iter().filter_map(|(stem, claim)| {
            let usage = self.word_uses.get(&stem)?;
            (!usage.supports(&claim)).then(|| format!("{} with its denial", claim.word))
        });
        differences.chain(denied).collect()
    }

    /// Returns the first difference between a figure and the figures of its value in the passages; `None` if one of them agrees. Also
    /// `None` if there is no such figure, which `PassageEvidence::missing` reports.
    fn figure_difference(&self, claim: &StatedFact, number: &StatedNumber) -> Option<&'static str> {
        let is_of_measure = |fact: &&StatedFact| {
            let is_open = claim.measures.is_empty() || fact.measures.is_empty();
            is_open || claim.measures.iter().all(|measure| fact.has_measure(measure))
        };
        let is_same = |fact: &&StatedFact| fact.figure().is_some_and(|figure| figure.supports(number));
        let mut first = None;
        for fact in self.facts.iter().filter(is_same).filter(is_of_measure) {
            let difference = fact.difference(claim, &self.company);
            let is_of_other =
                || self.has_other_subject(claim, fact, number) || self.is_of_aside(claim, fact, number);
            let difference = difference.or_else(|| is_of_other().then_some("subject"))?;
            first = first.or(Some(difference));
        }
        first
    }

    /// Returns true if words of the sentence belong to another figure of the passages and not to this one, and the sentence lacks words of
    /// this one.
    fn has_other_subject(&self, claim: &StatedFact, fact: &StatedFact, number: &StatedNumber) -> bool {
        let extra_words: BTreeSet<&String> = claim.words.difference(&fact.sentence_words).collect();
        if extra_words.is_empty() || fact.words.is_subset(&claim.sentence_words) {
            return false;
        }
        self.facts.iter().any(|other| {
            let is_other = other.figure().is_some_and(|figure| !figure.supports(number));
            let is_of_measure = claim.measures.is_empty()
                || other.measures.is_empty()
                || claim.measures.iter().any(|measure| other.may_have_measure(measure));
            is_other
                && is_of_measure
                && extra_words.iter().all(|word| other.words.contains(*word))
                && other.shared_words(claim) > fact.shared_words(claim)
        })
    }

    /// Returns true if the sentence gives the figure to the subject of an aside: after
    /// `Rs 500 crore, excluding restricted cash of Rs 40 crore`, `restricted cash was Rs 500 crore` does not agree.
    fn is_of_aside(&self, claim: &StatedFact, fact: &StatedFact, number: &StatedNumber) -> bool {
        let has_aside = |other: &StatedFact| {
            let is_other = |figure: &StatedNumber| figure.unit == number.unit && !figure.supports(number);
            !other.scope.is_empty()
                && other.figure().is_some_and(is_other)
                && other.sentence_words == fact.sentence_words
                && other.scope.is_subset(&claim.words)
                && !other.scope.is_subset(&fact.words)
        };
        fact.scope.is_empty() && !claim.is_aside && self.facts.iter().any(has_aside)
    }

    /// Returns the difference between an action and the actions of its name or of the opposite name in the passages; `None` if one agrees.
    fn action_difference(&self, claim: &StatedFact, name: &str) -> Option<&'static str> {
        let opposite = WORDS.opposite(name);
        let is_near = |fact: &StatedFact| {
            let mut measures = claim.measures.iter();
            claim.measures.is_empty() || measures.any(|measure| fact.may_have_measure(measure))
        };
        // The most words that the action shares with an agreeing action, and with another one.
        let (mut agreeing, mut other): (Option<usize>, Option<(usize, &'static str)>) = (None, None);
        for fact in self.facts.iter().filter(|fact| is_near(fact)) {
            let difference = match fact.action() {
                Some(fact_name) if fact_name == name => fact.difference(claim, &self.company),
                Some(fact_name) if Some(fact_name) == opposite => Some("direction"),
                _ => continue,
            };
            let shared = fact.shared_words(claim);
            match difference {
                None => agreeing = agreeing.max(Some(shared)),
                Some(difference) if other.is_none_or(|(most, _)| shared > most) => {
                    other = Some((shared, difference));
                }
                Some(_) => {}
            }
        }
        let (most, difference) = other.unwrap_or((0, "subject"));
        let is_lacking =
            agreeing.is_none() || !self.agrees_for_all(claim, name, StatedFact::may_have_measure);
        let is_of_other = || {
            let is_sure =
                !claim.measures.is_empty() && self.agrees_for_all(claim, name, StatedFact::has_measure);
            !is_sure && agreeing.is_some_and(|shared| other.is_some() && most > shared)
        };
        (is_lacking || is_of_other()).then_some(difference)
    }

    /// Returns true if, for each measure of an action, an agreeing action of the same name has the measure; `has` compares measures.
    fn agrees_for_all(
        &self,
        claim: &StatedFact,
        name: &str,
        has: impl Fn(&StatedFact, &str) -> bool,
    ) -> bool {
        let agreeing: Vec<&StatedFact> = self
            .facts
            .iter()
            .filter(|fact| fact.action() == Some(name) && fact.difference(claim, &self.company).is_none())
            .collect();
        claim.measures.iter().all(|measure| agreeing.iter().any(|fact| has(fact, measure)))
    }
}

/// Returns a rise or fall for each figure that is compared with a past one: `Rs 450 crore against Rs 400 crore`.
fn implied_moves(statements: &[StatedFact]) -> Vec<StatedFact> {
    let figures: Vec<&StatedFact> =
        statements.iter().filter(|statement| statement.figure().is_some()).collect();
    let moves = figures.windows(2).filter_map(|pair| {
        let [first, second] = pair else { return None };
        let (present, past) = if second.is_past { (first, second) } else { (second, first) };
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
