//! All phrases that have a meaning in one snapshot, and the lookup of the phrase at a position of a sentence.
//!
//! The longest phrase wins. Of two equally long ones, grammar words come first, then fields, adjectives, superlatives, common names of
//! sectors, industries and indices, and their official names. Plurals need no entry. Names of indices have no spaces and match with spaces
//! as well: `NIFTYBANK` as `Nifty Bank`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::field::{Field, FieldKind, TextValues};
use super::fields::Fields;
use super::lexer::{self, Token};
use super::vocabulary::{Adjective, CategoryNames, Superlative, is_in};
use super::word::Word;
use parquote_catalogue::operation::LONGEST_COMPARED;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum PhraseMeaning {
    /// A word of the grammar.
    Word(Word),
    /// A field of the market, even if the snapshot lacks its columns.
    Field(Arc<Field>),
    Adjective(Arc<Adjective>),
    Superlative(Arc<Superlative>),
    /// Sectors, industries, exchanges or indices, each as (name of its field, text of the snapshot).
    Categories(Vec<(String, String)>),
}

/// Phrases by their first word. The phrases with the same first word are sorted by length, the longest first.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    phrases: HashMap<String, Vec<(Vec<String>, PhraseMeaning)>>,
    /// Names of indices without their spaces, such as `niftybank`, which a sentence may write as several words.
    spaceless_names: HashMap<String, PhraseMeaning>,
    /// All words of phrases. They are never corrected as typing errors.
    words: HashSet<String>,
    /// Words by which a misspelt word may be replaced: those of phrases with a meaning, and units.
    correction_targets: HashSet<String>,
    /// Words that may occur within any phrase, as in `near its 52-week high`.
    passed_over: Vec<String>,
}

impl Lexicon {
    /// Collects the phrases for the fields of a snapshot.
    pub(super) fn new(fields: &Fields) -> Self {
        let (vocabulary, market) = (fields.vocabulary(), fields.market());
        let mut lexicon = Self { passed_over: vocabulary.passed_over.clone(), ..Self::default() };
        for (word, phrases) in &vocabulary.words {
            lexicon.add_all(phrases, &PhraseMeaning::Word(*word));
        }
        for field in vocabulary.fields_of(market) {
            lexicon.add_all(&field.phrases, &PhraseMeaning::Field(Arc::clone(field)));
            if field.is_number() {
                lexicon.add(&field.name, &PhraseMeaning::Field(Arc::clone(field)));
            }
        }
        for adjective in vocabulary.adjectives.iter().filter(|it| is_in(it.market, market)) {
            lexicon.add_all(&adjective.phrases, &PhraseMeaning::Adjective(Arc::clone(adjective)));
        }
        for superlative in &vocabulary.superlatives {
            lexicon.add_all(&superlative.phrases, &PhraseMeaning::Superlative(Arc::clone(superlative)));
        }
        lexicon.add_categories(fields);
        for phrases in lexicon.phrases.values_mut() {
            phrases.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        }
        lexicon.add_words(vocabulary.unit_words().cloned());
        lexicon
    }

    /// Returns the phrase at a token, and its number of tokens: the longest one. An adjective is cut short if its last words begin the name
    /// of a field, as in `positive free cash flow yield`.
    pub(super) fn phrase(&self, tokens: &[Token], at: usize) -> Option<(PhraseMeaning, usize)> {
        let (meaning, length) = self.longest_phrase(tokens, at, usize::MAX)?;
        let overlaps_field = |inner: usize| {
            let field = self.longest_phrase(tokens, inner, usize::MAX);
            field.is_some_and(|(field, more)| {
                matches!(field, PhraseMeaning::Field(_)) && inner + more > at + length
            })
        };
        match meaning {
            PhraseMeaning::Adjective(_) => match (at + 1..at + length).find(|inner| overlaps_field(*inner)) {
                Some(inner) => self.longest_phrase(tokens, at, inner - at),
                None => Some((meaning, length)),
            },
            meaning => Some((meaning, length)),
        }
    }

    /// Returns the longest phrase of at most `most` tokens, and its number of tokens.
    fn longest_phrase(&self, tokens: &[Token], at: usize, most: usize) -> Option<(PhraseMeaning, usize)> {
        let first = &tokens.get(at)?.text;
        let mut best: Option<(&PhraseMeaning, usize, usize)> = None;
        for key in forms(first) {
            for (words, meaning) in self.phrases.get(&key).into_iter().flatten() {
                let longer = best.is_none_or(|(_, _, known)| words.len() > known);
                if longer
                    && let Some(length) =
                        self.matched_length(words, tokens, at).filter(|length| *length <= most)
                {
                    best = Some((meaning, length, words.len()));
                }
            }
        }
        let spaced = self.longest_spaced_name(tokens, at).filter(|(_, length)| *length <= most);
        let spaced = spaced.filter(|(_, length)| best.is_none_or(|(_, _, known)| *length > known));
        spaced.or_else(|| best.map(|(meaning, length, _)| (meaning.clone(), length)))
    }

    /// Returns the number of tokens that a phrase takes at a position; `None` if it does not match.
    fn matched_length(&self, words: &[String], tokens: &[Token], at: usize) -> Option<usize> {
        let mut position = at;
        for (number, word) in words.iter().enumerate() {
            let mut token = tokens.get(position)?;
            while number > 0 && token.text != *word && self.passed_over.contains(&token.text) {
                position += 1;
                token = tokens.get(position)?;
            }
            if !is_form(&token.text, word) {
                return None;
            }
            position += 1;
        }
        Some(position - at)
    }

    /// Returns the longest name whose tokens, joined without spaces, are in `spaceless_names`, and its number of tokens.
    fn longest_spaced_name(&self, tokens: &[Token], at: usize) -> Option<(PhraseMeaning, usize)> {
        /// Maximum number of tokens of a name.
        const MOST_TOKENS: usize = 8;
        let mut name = String::new();
        let mut longest = None;
        for (position, token) in tokens.iter().skip(at).take(MOST_TOKENS).enumerate() {
            name.push_str(&token.text);
            if let Some(meaning) = self.spaceless_names.get(&name) {
                longest = Some((meaning.clone(), position + 1));
            }
        }
        longest
    }

    /// Returns the only nearest word with the same first letter: at most one edit away for a word of five to seven letters, at most two for
    /// a longer one.
    pub(super) fn correct_spelling(&self, word: &str) -> Option<&str> {
        let length = word.chars().count();
        let edits = match length {
            5..8 => 1,
            8..=LONGEST_COMPARED => 2,
            _ => return None,
        };
        if !word.chars().all(char::is_alphabetic) || forms(word).iter().any(|form| self.words.contains(form))
        {
            return None;
        }
        let mut near: Vec<(usize, &str)> = self
            .correction_targets
            .iter()
            .filter(|known| known.len() >= 4 && known.chars().next() == word.chars().next())
            .filter(|known| known.chars().count().abs_diff(length) <= edits)
            .map(|known| (strsim::osa_distance(word, known), known.as_str()))
            .filter(|(distance, _)| *distance <= edits)
            .collect();
        near.sort_unstable();
        match near.as_slice() {
            [(_, only)] => Some(only),
            // The singular and the plural of a word are not ambiguous.
            [(first, word), (second, other), ..]
                if first < second || forms(other).contains(&(*word).to_owned()) =>
            {
                Some(word)
            }
            _ => None,
        }
    }

    fn add_categories(&mut self, fields: &Fields) {
        let mut categories_by_name: BTreeMap<&str, Vec<(String, String)>> = BTreeMap::new();
        for category in fields.vocabulary().categories.iter().filter(|it| is_in(it.market, fields.market())) {
            for name in &category.names {
                categories_by_name.entry(name).or_default().extend(category_values(category, fields));
            }
        }
        for (name, categories) in
            categories_by_name.into_iter().filter(|(_, categories)| !categories.is_empty())
        {
            self.add(name, &PhraseMeaning::Categories(categories));
        }
        for field in fields.iter().filter(|field| {
            matches!(field.kind, FieldKind::Text(TextValues::Sectors | TextValues::Industries))
        }) {
            for text in fields.texts(field) {
                self.add(text, &PhraseMeaning::Categories(vec![(field.name.clone(), text.clone())]));
            }
        }
        let indices = fields.iter().find(|field| field.kind == FieldKind::Text(TextValues::Indices));
        for (field, index) in
            indices.iter().flat_map(|field| fields.texts(field).iter().map(move |it| (field, it)))
        {
            self.add_index(
                &index.to_lowercase(),
                &PhraseMeaning::Categories(vec![(field.name.clone(), index.clone())]),
            );
        }
    }

    /// Adds the name of an index; one that begins with `nifty` also with this word at its end, as in `Bank Nifty`.
    fn add_index(&mut self, name: &str, meaning: &PhraseMeaning) {
        const FAMILY: &str = "nifty";
        let swapped = name.strip_prefix(FAMILY).map(|rest| format!("{rest}{FAMILY}"));
        for name in swapped.iter().map(String::as_str).chain([name]) {
            self.add_words(lexer::tokens(name).into_iter().map(|token| token.text));
            self.spaceless_names.insert(name.to_owned(), meaning.clone());
        }
        self.add_words(swapped.map(|_| FAMILY.to_owned()));
    }

    /// Adds words that may replace misspelt ones.
    fn add_words(&mut self, words: impl IntoIterator<Item = String>) {
        for word in words {
            self.correction_targets.insert(word.clone());
            self.words.insert(word);
        }
    }

    fn add_all(&mut self, phrases: &[String], meaning: &PhraseMeaning) {
        for phrase in phrases {
            self.add(phrase, meaning);
        }
    }

    fn add(&mut self, phrase: &str, meaning: &PhraseMeaning) {
        let words: Vec<String> = lexer::tokens(phrase).into_iter().map(|token| token.text).collect();
        let Some(first) = words.first() else { return };
        if *meaning == PhraseMeaning::Word(Word::Unread) {
            self.words.extend(words.iter().cloned());
        } else {
            self.add_words(words.iter().cloned());
        }
        let known = self.phrases.entry(first.clone()).or_default();
        if !known.iter().any(|(known, _)| *known == words) {
            known.push((words, meaning.clone()));
        }
    }
}

/// Returns the texts of the snapshot that the names of a category mean, each as (name of its field, text).
fn category_values(category: &CategoryNames, fields: &Fields) -> Vec<(String, String)> {
    let fits = |text: &&String| {
        let text = text.to_lowercase();
        text == category.official || (category.is_part && text.contains(&category.official))
    };
    let Some(field) = fields.find(category.field) else { return Vec::new() };
    fields.texts(field).iter().filter(fits).map(|text| (field.name.clone(), text.clone())).collect()
}

fn is_form(token: &str, word: &str) -> bool {
    token == word || (word.len() > 2 && forms(token).iter().any(|form| form == word))
}

/// Returns a word, and its possible singulars.
fn forms(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    if word.len() > 3 {
        forms.extend(word.strip_suffix("ies").map(|stem| format!("{stem}y")));
        forms.extend(word.strip_suffix("es").map(str::to_owned));
        forms.extend(word.strip_suffix('s').map(str::to_owned));
    }
    forms
}
