//! A statement of a text: a figure or an action, such as `rose`, with what the text says about it; and the comparison of two of them.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use super::mark_kind::MarkKind;
use super::measure::covers;
use super::party::Party;
use super::stated::StatedNumber;
use super::statement_words::PartyKind;

/// A statement, with what its sentence says about it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StatedFact {
    pub(super) subject: FactSubject,
    /// Index of its first token.
    pub(super) at: usize,
    /// Number of the sentence part that contains the figure or action.
    pub(super) part: usize,
    /// The figure or action as written.
    pub(super) text: String,
    pub(super) measures: Vec<&'static str>,
    /// For each kind of mark that applies to the statement, its value.
    pub(super) marks: BTreeMap<MarkKind, String>,
    /// True for a figure or action of a past period, with which another is compared.
    pub(super) is_past: bool,
    pub(super) is_denied: bool,
    pub(super) parties: Vec<Party>,
    /// The parties of which one does the action; empty if the text names none.
    pub(super) agents: Vec<Party>,
    /// Words that limit the statement, such as `restricted cash`: a sentence must have one of them. Empty if nothing limits it.
    pub(super) scope: BTreeSet<String>,
    /// True in a part such as `excluding restricted cash`.
    pub(super) is_aside: bool,
    /// Words of its part of the sentence that may name its subject.
    pub(super) words: BTreeSet<String>,
    /// All words of the sentence.
    pub(super) sentence_words: BTreeSet<String>,
}

/// The figure or action of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FactSubject {
    Figure(StatedNumber),
    /// An action of `queries/tone/statements.toml`, by its name.
    Action(String),
}

/// Kinds of marks of which a statement has the nearest mark. Two statements differ in a kind only if both have a mark of it.
pub(super) const NEAREST_KINDS: [MarkKind; 9] = [
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
const PERIOD_KINDS: [MarkKind; 4] = [MarkKind::YearPart, MarkKind::Year, MarkKind::Month, MarkKind::Date];

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

    /// Returns the first difference between this statement of a passage and the statement `claim` of a sentence; `None` if they agree.
    /// `company` has the words of the company's name.
    pub(super) fn difference(&self, claim: &Self, company: &BTreeSet<String>) -> Option<&'static str> {
        let other = self.mark_difference(claim).or_else(|| self.party_difference(claim, company));
        let other = other.or_else(|| self.is_out_of_scope(claim).then_some("subject"));
        other.or_else(|| {
            if claim.figure().is_some() {
                self.figure_difference(claim)
            } else {
                self.action_difference(claim, company)
            }
        })
    }

    /// Returns true if a scope limits this statement and the sentence has no word of it.
    fn is_out_of_scope(&self, claim: &Self) -> bool {
        let is_said = |word: &String| claim.sentence_words.iter().any(|other| is_same_name(word, other));
        !self.scope.is_empty() && !self.scope.iter().any(is_said)
    }

    fn mark_difference(&self, claim: &Self) -> Option<&'static str> {
        let differs = |kind: &MarkKind| {
            let both = self.marks.get(kind).zip(claim.marks.get(kind));
            both.is_some_and(|(stated, claimed)| stated != claimed)
        };
        let mut kinds = iter::once(MarkKind::Direction).chain(NEAREST_KINDS);
        kinds.find(differs).map(|kind| match kind {
            MarkKind::Direction => "direction",
            MarkKind::Change => "comparison",
            MarkKind::Basis | MarkKind::Accounting => "basis",
            MarkKind::Result => "sign",
            _ => "period",
        })
    }

    /// Returns `party` if each statement has a party that the other lacks, or if one names the company and the other one another party.
    fn party_difference(&self, claim: &Self, company: &BTreeSet<String>) -> Option<&'static str> {
        let (stated, claimed) = (Parties::new(&self.parties, company), Parties::new(&claim.parties, company));
        let is_exchanged = stated.lacks(&claimed) && claimed.lacks(&stated);
        let is_other = |one: &Parties<'_>, other: &Parties<'_>| {
            let is_named = one.others.iter().all(|name| other.names.contains(name));
            !one.others.is_empty() && !is_named && !one.has_company && other.has_company
        };
        (is_exchanged || is_other(&stated, &claimed) || is_other(&claimed, &stated)).then_some("party")
    }

    fn figure_difference(&self, claim: &Self) -> Option<&'static str> {
        let (stated_mood, mood) = (self.mood(), claim.mood());
        // A bare figure, as the value of an order, has no words of its own for limit and mood.
        let is_bare = claim.words.is_empty();
        let is_other_mood = match (stated_mood, mood) {
            (Some("expected"), Some("expected")) => false,
            (Some("expected"), _) => !is_bare || !self.measures.is_empty(),
            (Some("actual"), Some("expected")) => true,
            _ => false,
        };
        let is_of_period = PERIOD_KINDS.iter().any(|kind| {
            let both = self.marks.get(kind).zip(claim.marks.get(kind));
            both.is_some_and(|(stated, claimed)| stated == claimed)
        });
        let named_parties: Vec<&Party> =
            claim.parties.iter().filter(|party| party.kind != PartyKind::Company).collect();
        let has = |party: &&Party| self.parties.iter().any(|stated| stated.word == party.word);
        let is_of_party = !named_parties.is_empty() && named_parties.iter().all(has);
        if is_other_mood {
            Some("expectation")
        } else if !is_bare && self.marks.get(&MarkKind::Limit) != claim.marks.get(&MarkKind::Limit) {
            Some("limit")
        } else {
            (self.is_past != claim.is_past && !is_of_period && !is_of_party).then_some("period")
        }
    }

    fn action_difference(&self, claim: &Self, company: &BTreeSet<String>) -> Option<&'static str> {
        let stated_agents = Parties::new(&self.agents, company);
        let agents = Parties::new(&claim.agents, company);
        if self.mood() == Some("expected") && claim.mood() != Some("expected") {
            Some("expectation")
        } else if self.is_denied != claim.is_denied {
            Some("denial")
        } else {
            (stated_agents.has_any() && agents.has_any() && !stated_agents.shares(&agents)).then_some("party")
        }
    }

    /// Returns `expected` or `actual`, if the text says so.
    fn mood(&self) -> Option<&str> {
        self.marks.get(&MarkKind::Mood).map(String::as_str)
    }

    /// Returns true if it has this measure, or a more specific one.
    pub(super) fn has_measure(&self, measure: &str) -> bool {
        self.measures.iter().any(|stated| covers(stated, measure))
    }

    /// Returns true if it may be about a measure: it has no measure, the same, or a more specific or general one.
    pub(super) fn may_have_measure(&self, measure: &str) -> bool {
        let is_near = |stated: &&str| covers(stated, measure) || covers(measure, stated);
        self.measures.is_empty() || self.measures.iter().any(is_near)
    }

    /// Returns the number of words that may name the subject of both statements.
    pub(super) fn shared_words(&self, other: &Self) -> usize {
        self.words.intersection(&other.words).count()
    }
}

/// The parties of a statement.
struct Parties<'a> {
    /// Words of all parties but the company.
    names: Vec<&'a str>,
    /// Words of the parties of kind `Other`.
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

    fn has_any(&self) -> bool {
        self.has_company || !self.names.is_empty()
    }

    /// Returns true if `other` has a party that is not among these.
    fn lacks(&self, other: &Self) -> bool {
        other.names.iter().any(|name| !self.names.iter().any(|stated| is_same_name(stated, name)))
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
