//! A statement of a text: a figure or an action, such as `rose`, with what the text says about it; and the comparison of two of them.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use super::mark_kind::MarkKind;
use super::measure::covers;
use super::party::Party;
use super::stated::StatedNumber;
use super::statement_words::PartyKind;

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StatedFact {
    pub(super) subject: FactSubject,
    /// Its first token and the part of the sentence that it is in, by their numbers.
    pub(super) at: usize,
    pub(super) part: usize,
    /// The text as written.
    pub(super) text: String,
    pub(super) measures: Vec<&'static str>,
    /// The value of each kind of mark that applies to it.
    pub(super) marks: BTreeMap<MarkKind, String>,
    /// True for a figure of another period, with which one is compared.
    pub(super) is_past: bool,
    pub(super) is_denied: bool,
    pub(super) parties: Vec<Party>,
    /// The parties of which one acts; none if the text does not say.
    pub(super) agents: Vec<Party>,
    /// Words that limit it to a part, such as `restricted cash`: a sentence must have one of them. Without words it is about the whole.
    pub(super) scope: BTreeSet<String>,
    /// True in a part such as `excluding restricted cash`.
    pub(super) is_aside: bool,
    /// Words of its part of the sentence that may name its subject, and all words of the sentence.
    pub(super) words: BTreeSet<String>,
    pub(super) sentence_words: BTreeSet<String>,
}

/// The figure or action.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FactSubject {
    Figure(StatedNumber),
    /// An action of `queries/tone/statements.toml`, by its name.
    Action(String),
}

/// Kinds of marks of which a statement has the nearest one. They differ only if both statements have one.
pub(super) const NEAREST: [MarkKind; 9] = [
    MarkKind::Span,
    MarkKind::YearPart,
    MarkKind::Year,
    MarkKind::Month,
    MarkKind::Date,
    MarkKind::Change,
    MarkKind::Basis,
    MarkKind::Accounting,
    MarkKind::Result,
];
/// Kinds of marks that name a period.
const PERIODS: [MarkKind; 4] = [MarkKind::YearPart, MarkKind::Year, MarkKind::Month, MarkKind::Date];

impl StatedFact {
    pub(super) fn figure(&self) -> Option<&StatedNumber> {
        match &self.subject {
            FactSubject::Figure(number) => Some(number),
            FactSubject::Action(_) => None,
        }
    }

    pub(super) fn action(&self) -> Option<&str> {
        match &self.subject {
            FactSubject::Figure(_) => None,
            FactSubject::Action(name) => Some(name),
        }
    }

    /// Returns what a sentence that states `said` has in another way than a passage that states `self`; `None` if they agree. `company` has
    /// the words of the company's name.
    pub(super) fn difference(&self, said: &Self, company: &BTreeSet<String>) -> Option<&'static str> {
        let other = self.other_mark(said).or_else(|| self.other_party(said, company));
        let other = other.or_else(|| self.is_out_of_scope(said).then_some("subject"));
        other.or_else(|| {
            if said.figure().is_some() { self.other_figure(said) } else { self.other_action(said, company) }
        })
    }

    /// Returns true if the sentence does not name what alone it is about.
    fn is_out_of_scope(&self, said: &Self) -> bool {
        let is_said = |word: &String| said.sentence_words.iter().any(|said| is_same_name(word, said));
        !self.scope.is_empty() && !self.scope.iter().any(is_said)
    }

    fn other_mark(&self, said: &Self) -> Option<&'static str> {
        let differs = |kind: &MarkKind| {
            let both = self.marks.get(kind).zip(said.marks.get(kind));
            both.is_some_and(|(known, said)| known != said)
        };
        let mut kinds = iter::once(MarkKind::Direction).chain(NEAREST);
        kinds.find(differs).map(|kind| match kind {
            MarkKind::Direction => "direction",
            MarkKind::Change => "comparison",
            MarkKind::Basis | MarkKind::Accounting => "basis",
            MarkKind::Result => "sign",
            _ => "period",
        })
    }

    /// Compares the parties: each has one that the other lacks, or one has the company and the other another party.
    fn other_party(&self, said: &Self, company: &BTreeSet<String>) -> Option<&'static str> {
        let (known, said) = (Parties::new(&self.parties, company), Parties::new(&said.parties, company));
        let is_exchanged = known.lacks(&said) && said.lacks(&known);
        let is_other = |one: &Parties<'_>, other: &Parties<'_>| {
            let is_named = one.others.iter().all(|name| other.names.contains(name));
            !one.others.is_empty() && !is_named && !one.has_company && other.has_company
        };
        (is_exchanged || is_other(&known, &said) || is_other(&said, &known)).then_some("party")
    }

    fn other_figure(&self, said: &Self) -> Option<&'static str> {
        let (known_mood, mood) = (self.mood(), said.mood());
        // A bare figure, as the value of an order, has no words of its own for limit and mood.
        let is_bare = said.words.is_empty();
        let is_other_mood = match (known_mood, mood) {
            (Some("expected"), Some("expected")) => false,
            (Some("expected"), _) => !is_bare || !self.measures.is_empty(),
            (Some("actual"), Some("expected")) => true,
            _ => false,
        };
        let is_of_period = PERIODS.iter().any(|kind| {
            let both = self.marks.get(kind).zip(said.marks.get(kind));
            both.is_some_and(|(known, said)| known == said)
        });
        let named: Vec<&Party> =
            said.parties.iter().filter(|party| party.kind != PartyKind::Company).collect();
        let has = |party: &&Party| self.parties.iter().any(|known| known.word == party.word);
        let is_of_party = !named.is_empty() && named.iter().all(has);
        if is_other_mood {
            Some("expectation")
        } else if !is_bare && self.marks.get(&MarkKind::Limit) != said.marks.get(&MarkKind::Limit) {
            Some("limit")
        } else {
            (self.is_past != said.is_past && !is_of_period && !is_of_party).then_some("period")
        }
    }

    fn other_action(&self, said: &Self, company: &BTreeSet<String>) -> Option<&'static str> {
        let known = Parties::new(&self.agents, company);
        let agents = Parties::new(&said.agents, company);
        if self.mood() == Some("expected") && said.mood() != Some("expected") {
            Some("expectation")
        } else if self.is_denied != said.is_denied {
            Some("denial")
        } else {
            (known.is_any() && agents.is_any() && !known.shares(&agents)).then_some("party")
        }
    }

    /// Returns `expected` or `actual`, if the text says so.
    fn mood(&self) -> Option<&str> {
        self.marks.get(&MarkKind::Mood).map(String::as_str)
    }

    /// Returns true if it has this measure, or a special one of it.
    pub(super) fn has_measure(&self, measure: &str) -> bool {
        self.measures.iter().any(|known| covers(known, measure))
    }

    /// Returns true if it may be about a measure: it has none, or a special or more general one.
    pub(super) fn may_have_measure(&self, measure: &str) -> bool {
        let is_near = |known: &&str| covers(known, measure) || covers(measure, known);
        self.measures.is_empty() || self.measures.iter().any(is_near)
    }

    /// Returns the number of words that both parts of sentences have.
    pub(super) fn shared_words(&self, other: &Self) -> usize {
        self.words.intersection(&other.words).count()
    }
}

/// The parties of a statement.
struct Parties<'a> {
    /// All but the company.
    names: Vec<&'a str>,
    /// Those that are neither the company nor a name.
    others: Vec<&'a str>,
    has_company: bool,
}

impl<'a> Parties<'a> {
    fn new(parties: &'a [Party], company: &BTreeSet<String>) -> Self {
        let is_company = |party: &Party| party.kind == PartyKind::Company || company.contains(&party.word);
        let others = parties.iter().filter(|party| !is_company(party));
        Self {
            names: others.clone().map(|party| party.word.as_str()).collect(),
            others: others
                .filter(|party| party.kind == PartyKind::Other)
                .map(|party| party.word.as_str())
                .collect(),
            has_company: parties.iter().any(is_company),
        }
    }

    fn is_any(&self) -> bool {
        self.has_company || !self.names.is_empty()
    }

    /// Returns true if the other parties have a name that these lack.
    fn lacks(&self, other: &Self) -> bool {
        other.names.iter().any(|name| !self.names.iter().any(|known| is_same_name(known, name)))
    }

    fn shares(&self, other: &Self) -> bool {
        self.has_company && other.has_company || self.names.iter().any(|name| other.names.contains(name))
    }
}

/// Returns true for the same name, or one that begins like it, such as `India` and `Indian`.
fn is_same_name(one: &str, other: &str) -> bool {
    /// Fewest letters of a name that may be the beginning of another one.
    const LEAST_LETTERS: usize = 4;
    let is_long = one.len() >= LEAST_LETTERS && other.len() >= LEAST_LETTERS;
    one == other || is_long && (one.starts_with(other) || other.starts_with(one))
}
