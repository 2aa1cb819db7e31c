//! The words of `queries/tone/statements.toml`, by which a sentence is compared with its paragraphs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use parquote_catalogue::operation::built_in;
use serde::Deserialize;

use super::mark_kind::MarkKind;
use super::parts::singular;
use super::phrases::PhraseIndex;
use super::text_token::TextToken;

/// The words of the built-in file.
pub(super) static WORDS: LazyLock<StatementWords> =
    LazyLock::new(|| StatementWords::new(&built_in("tone/statements.toml")));

/// Phrases, by the value that they mean.
type MarkValues = BTreeMap<String, Vec<String>>;

/// The file of words.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatementWordFile {
    breaks: Vec<String>,
    relatives: Vec<String>,
    asides: Vec<String>,
    comparisons: Vec<String>,
    before_figures: Vec<String>,
    determiners: Vec<String>,
    function_words: Vec<String>,
    prepositions: Vec<String>,
    falls_when_better: Vec<String>,
    marks: DeclaredMarks,
    parties: DeclaredParties,
    #[serde(rename = "action")]
    actions: Vec<DeclaredAction>,
}

/// The phrases of each kind of mark.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredMarks {
    none: MarkValues,
    denial: MarkValues,
    mood: MarkValues,
    limit: MarkValues,
    span: MarkValues,
    change: MarkValues,
    before: MarkValues,
    basis: MarkValues,
    accounting: MarkValues,
    result: MarkValues,
}

/// Words for parties.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredParties {
    company: Vec<String>,
    others: Vec<String>,
    segments: Vec<String>,
    generic: Vec<String>,
}

/// An action, with the phrases that state it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredAction {
    name: String,
    opposite: Option<String>,
    phrases: Vec<String>,
    /// Phrases whose subject may be another party.
    #[serde(default)]
    open: Vec<String>,
}

/// Kinds of parties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartyKind {
    /// The company of the document, as far as a word such as `we` says so.
    Company,
    /// Another party, such as a customer.
    Other,
    /// A segment or place of the list, which never does an action.
    Segment,
    /// A party, segment or place with a name, such as `NTPC`.
    Name,
}

/// Kind of phrase at which a part of a sentence begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartBegin {
    /// A word such as `and` or `because`.
    Break,
    /// A word such as `who`, at which a relative clause begins.
    Relative,
    /// A word such as `excluding`; a figure in its part describes the subject of that part, not of the rest of the sentence.
    Aside,
    /// A word such as `against`, before a figure of another period or party.
    Comparison,
}

/// The action that a phrase states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ActionWord {
    pub(super) name: String,
    /// True if another party than the one before the phrase may act.
    pub(super) is_open: bool,
}

/// The words of the file, indexed for lookup.
pub(super) struct StatementWords {
    pub(super) part_begins: PhraseIndex<PartBegin>,
    pub(super) marks: PhraseIndex<(MarkKind, String)>,
    pub(super) parties: PhraseIndex<PartyKind>,
    pub(super) actions: PhraseIndex<ActionWord>,
    pub(super) before_figures: HashSet<String>,
    pub(super) determiners: HashSet<String>,
    pub(super) prepositions: HashSet<String>,
    function_words: HashSet<String>,
    /// Words that are no names, even with a capital.
    pub(super) generic: HashSet<String>,
    falls_when_better: HashSet<String>,
    opposites: HashMap<String, String>,
}

impl StatementWords {
    fn new(file: &StatementWordFile) -> Self {
        let begins = with_meaning(&file.breaks, PartBegin::Break)
            .chain(with_meaning(&file.relatives, PartBegin::Relative))
            .chain(with_meaning(&file.asides, PartBegin::Aside))
            .chain(with_meaning(&file.comparisons, PartBegin::Comparison));
        let parties = with_meaning(&file.parties.company, PartyKind::Company)
            .chain(with_meaning(&file.parties.others, PartyKind::Other))
            .chain(with_meaning(&file.parties.segments, PartyKind::Segment));
        let actions = file.actions.iter().flat_map(|action| {
            let action_word = |is_open: bool| ActionWord { name: action.name.clone(), is_open };
            with_meaning(&action.phrases, action_word(false))
                .chain(with_meaning(&action.open, action_word(true)))
        });
        let opposites = file.actions.iter().filter_map(|action| {
            action.opposite.as_ref().map(|opposite| (action.name.clone(), opposite.clone()))
        });
        Self {
            part_begins: PhraseIndex::new(begins),
            marks: PhraseIndex::new(file.marks.phrases()),
            parties: PhraseIndex::new(parties),
            actions: PhraseIndex::new(actions),
            before_figures: words(&file.before_figures),
            determiners: words(&file.determiners),
            prepositions: words(&file.prepositions),
            function_words: words(&file.function_words),
            generic: words(&file.parties.generic),
            falls_when_better: file.falls_when_better.iter().cloned().collect(),
            opposites: opposites.collect(),
        }
    }

    /// Returns true for words that are never the subject of a sentence.
    pub(super) fn is_function_word(&self, word: &str) -> bool {
        [&self.function_words, &self.prepositions, &self.determiners].iter().any(|list| list.contains(word))
    }

    /// Returns the action that says the opposite.
    pub(super) fn opposite(&self, action: &str) -> Option<&str> {
        self.opposites.get(action).map(String::as_str)
    }

    /// Returns an action, with `better` and `worse` as `rise` or `fall` of these measures: `improved` is a rise of a margin and a fall of
    /// costs.
    pub(super) fn direction(&self, action: &str, measures: &[&str]) -> String {
        let is_fall =
            !measures.is_empty() && measures.iter().all(|name| self.falls_when_better.contains(*name));
        let action = match (action, is_fall) {
            ("better", false) | ("worse", true) => "rise",
            ("better", true) | ("worse", false) => "fall",
            (other, _) => other,
        };
        action.to_owned()
    }
}

impl DeclaredMarks {
    /// Returns all phrases with their kind and value.
    fn phrases(&self) -> impl Iterator<Item = (&str, (MarkKind, String))> {
        let kinds = [
            (MarkKind::Nothing, &self.none),
            (MarkKind::Denial, &self.denial),
            (MarkKind::Mood, &self.mood),
            (MarkKind::Limit, &self.limit),
            (MarkKind::Span, &self.span),
            (MarkKind::Change, &self.change),
            (MarkKind::Before, &self.before),
            (MarkKind::Basis, &self.basis),
            (MarkKind::Accounting, &self.accounting),
            (MarkKind::Result, &self.result),
        ];
        kinds.into_iter().flat_map(|(kind, values)| {
            values.iter().flat_map(move |(value, phrases)| with_meaning(phrases, (kind, value.clone())))
        })
    }
}

/// Returns the phrases, each with the same meaning.
fn with_meaning<T: Clone>(phrases: &[String], meaning: T) -> impl Iterator<Item = (&str, T)> {
    phrases.iter().map(move |phrase| (phrase.as_str(), meaning.clone()))
}

/// Returns true for a word that states a rise or fall.
pub(super) fn is_direction(word: &str) -> bool {
    let action = WORDS.actions.longest_at(&[TextToken::from_word(word)], 0);
    action.is_some_and(|(_, action)| matches!(action.name.as_str(), "rise" | "fall" | "better" | "worse"))
}

fn words(list: &[String]) -> HashSet<String> {
    list.iter().map(|word| singular(word)).collect()
}
