//! All phrases that have a meaning in one snapshot, and the lookup of the phrase at a position of a sentence.
//!
//! The longest phrase wins; of two equally long ones that of the grammar, then fields, adjectives, superlatives, common names
//! of sectors, industries and indices, and last their official names. Plurals need no entry. A phrase may have choices within it:
//! `(sales|revenue) growth`, and `(big|) bank` is `big bank` or `bank`. The names of indices are written without spaces and are
//! read with them as well, `NIFTYBANK` as `Nifty Bank`.

use std::collections::{HashMap, HashSet};

use super::adjectives::{ADJECTIVES, Adjective};
use super::field::{Field, FieldKind, TextValues};
use super::fields::{Fields, of_market};
use super::lexer::{self, Token};
use super::numbers;
use super::place_name::Target;
use super::place_names::place_names;
use super::superlatives::{SUPERLATIVES, Superlative};
use super::word_list::{WORDS, Word};
use crate::operation::LONGEST_COMPARED;

/// What a phrase means.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Meaning {
    /// A word of the grammar.
    Word(Word),
    /// A field, whether or not the snapshot has it.
    Field(&'static Field),
    /// An adjective.
    Adjective(&'static Adjective),
    /// A superlative.
    Superlative(&'static Superlative),
    /// Sectors, industries, exchanges or indices: a field and one of its texts.
    Places(Vec<(&'static str, String)>),
}

/// The phrases, by their first word, the longest first.
#[derive(Debug)]
pub(super) struct Lexicon {
    phrases: HashMap<String, Vec<(Vec<String>, Meaning)>>,
    /// Names that are one word here and may be several in a sentence.
    run_together: HashMap<String, Meaning>,
    words: HashSet<String>,
}

/// Words that may stand within any phrase, as in `near its 52-week high`.
const PASSED_OVER: [&str; 5] = ["the", "its", "their", "a", "an"];

impl Lexicon {
    /// The phrases for the fields of a snapshot.
    pub(super) fn new(fields: &Fields) -> Self {
        let mut lexicon =
            Self { phrases: HashMap::new(), run_together: HashMap::new(), words: HashSet::new() };
        for (word, phrases) in WORDS {
            lexicon.add_all(phrases, &Meaning::Word(*word));
        }
        for field in of_market(fields.market()) {
            lexicon.add_all(field.synonyms, &Meaning::Field(field));
            if field.is_number() {
                lexicon.add(field.name, &Meaning::Field(field));
            }
        }
        for adjective in ADJECTIVES.iter().filter(|it| it.market.is_none_or(|only| only == fields.market())) {
            lexicon.add_all(adjective.phrases, &Meaning::Adjective(adjective));
        }
        for superlative in SUPERLATIVES {
            lexicon.add_all(superlative.phrases, &Meaning::Superlative(superlative));
        }
        lexicon.add_places(fields);
        for phrases in lexicon.phrases.values_mut() {
            phrases.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        }
        lexicon.words.extend(numbers::WORDS.iter().map(|(word, _)| (*word).to_owned()));
        lexicon.words.extend(super::quantities::UNIT_WORDS.iter().map(|word| (*word).to_owned()));
        lexicon
    }

    /// The phrase that stands at a token, and how many tokens it has: the longest one, unless it is an adjective that cuts
    /// into the name of a field, as `positive free cash flow` does before `yield`.
    pub(super) fn phrase(&self, tokens: &[Token], at: usize) -> Option<(Meaning, usize)> {
        let (meaning, length) = self.longest(tokens, at, usize::MAX)?;
        let cuts = |inner: usize| {
            let field = self.longest(tokens, inner, usize::MAX);
            field
                .is_some_and(|(field, more)| matches!(field, Meaning::Field(_)) && inner + more > at + length)
        };
        match meaning {
            Meaning::Adjective(_) => match (at + 1..at + length).find(|inner| cuts(*inner)) {
                Some(inner) => self.longest(tokens, at, inner - at),
                None => Some((meaning, length)),
            },
            meaning => Some((meaning, length)),
        }
    }

    /// The longest phrase of at most so many tokens.
    fn longest(&self, tokens: &[Token], at: usize, most: usize) -> Option<(Meaning, usize)> {
        let first = &tokens.get(at)?.text;
        let mut best: Option<(&Meaning, usize, usize)> = None;
        for key in forms(first) {
            for (words, meaning) in self.phrases.get(&key).into_iter().flatten() {
                let longer = best.is_none_or(|(_, _, known)| words.len() > known);
                if longer && let Some(length) = spans(words, tokens, at).filter(|length| *length <= most) {
                    best = Some((meaning, length, words.len()));
                }
            }
        }
        let spaced = self.spaced(tokens, at).filter(|(_, length)| *length <= most);
        let spaced = spaced.filter(|(_, length)| best.is_none_or(|(_, _, known)| *length > known));
        spaced.or_else(|| best.map(|(meaning, length, _)| (meaning.clone(), length)))
    }

    /// The longest name of several tokens that is written as one word.
    fn spaced(&self, tokens: &[Token], at: usize) -> Option<(Meaning, usize)> {
        /// The most tokens of a name.
        const MOST: usize = 8;
        let mut name = String::new();
        let mut longest = None;
        for (place, token) in tokens.iter().skip(at).take(MOST).enumerate() {
            name.push_str(&token.text);
            if let Some(meaning) = self.run_together.get(&name) {
                longest = Some((meaning.clone(), place + 1));
            }
        }
        longest
    }

    /// The known word that a misspelt word stands for: within one edit for five letters and more, two for eight
    /// and more, the same first letter, and no other word as near.
    pub(super) fn corrected(&self, word: &str) -> Option<&str> {
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
            .words
            .iter()
            .filter(|known| known.len() >= 4 && known.chars().next() == word.chars().next())
            .filter(|known| known.chars().count().abs_diff(length) <= edits)
            .map(|known| (strsim::osa_distance(word, known), known.as_str()))
            .filter(|(distance, _)| *distance <= edits)
            .collect();
        near.sort_unstable();
        match near.as_slice() {
            [(_, only)] => Some(only),
            // The singular and the plural of one word are no two words.
            [(first, word), (second, other), ..]
                if first < second || forms(other).contains(&(*word).to_owned()) =>
            {
                Some(word)
            }
            _ => None,
        }
    }

    fn add_places(&mut self, fields: &Fields) {
        for name in place_names(fields.market()) {
            let places: Vec<_> = name.targets.iter().flat_map(|target| reached(target, fields)).collect();
            if !places.is_empty() {
                self.add_all(name.names, &Meaning::Places(places));
            }
        }
        for field in fields.iter().filter(|field| {
            matches!(field.kind, FieldKind::Text(TextValues::Sectors | TextValues::Industries))
        }) {
            for text in fields.texts(field) {
                self.add(text, &Meaning::Places(vec![(field.name, text.to_owned())]));
            }
        }
        let indices = fields.iter().find(|field| field.kind == FieldKind::Text(TextValues::Indices));
        for (field, index) in
            indices.iter().flat_map(|field| fields.texts(field).into_iter().map(move |it| (field, it)))
        {
            self.add_index(&index.to_lowercase(), &Meaning::Places(vec![(field.name, index.to_owned())]));
        }
    }

    /// An index, and an index of the Nifty family with the two parts of its name the other way round, as in `Bank Nifty`.
    fn add_index(&mut self, name: &str, meaning: &Meaning) {
        const FAMILY: &str = "nifty";
        let turned = name.strip_prefix(FAMILY).map(|rest| format!("{rest}{FAMILY}"));
        for name in turned.iter().map(String::as_str).chain([name]) {
            self.words.extend(lexer::tokens(name).into_iter().map(|token| token.text));
            self.run_together.insert(name.to_owned(), meaning.clone());
        }
        self.words.extend(turned.map(|_| FAMILY.to_owned()));
    }

    fn add_all(&mut self, phrases: &[&str], meaning: &Meaning) {
        for phrase in phrases.iter().flat_map(|phrase| choices(phrase)) {
            self.add(&phrase, meaning);
        }
    }

    fn add(&mut self, phrase: &str, meaning: &Meaning) {
        let words: Vec<String> = lexer::tokens(phrase).into_iter().map(|token| token.text).collect();
        let Some(first) = words.first() else { return };
        self.words.extend(words.iter().cloned());
        let known = self.phrases.entry(first.clone()).or_default();
        if !known.iter().any(|(known, _)| *known == words) {
            known.push((words, meaning.clone()));
        }
    }
}

/// A phrase with each of the choices within it.
fn choices(phrase: &str) -> Vec<String> {
    let group = phrase.split_once('(').and_then(|(before, rest)| Some((before, rest.split_once(')')?)));
    let Some((before, (group, after))) = group else { return vec![phrase.to_owned()] };
    group.split('|').flat_map(|choice| choices(&format!("{before}{choice}{after}"))).collect()
}

/// The texts of a snapshot that a name reaches.
fn reached(target: &Target, fields: &Fields) -> Vec<(&'static str, String)> {
    let (name, wanted) = match target {
        Target::Sector(sector) => ("sector", sector.to_lowercase()),
        Target::Industry(industry) | Target::IndustryWith(industry) => ("industry", industry.to_lowercase()),
        Target::Exchange(exchange) => ("exchange", exchange.to_lowercase()),
        Target::Index(index) => ("indices", index.to_lowercase()),
    };
    let fits = |text: &&str| {
        let text = text.to_lowercase();
        text == wanted || (matches!(target, Target::IndustryWith(_)) && text.contains(&wanted))
    };
    let Some(field) = fields.find(name) else { return Vec::new() };
    fields.texts(field).into_iter().filter(fits).map(|text| (field.name, text.to_owned())).collect()
}

/// How many tokens a phrase takes at a place, if it stands there.
fn spans(words: &[String], tokens: &[Token], at: usize) -> Option<usize> {
    let mut place = at;
    for (number, word) in words.iter().enumerate() {
        let mut token = tokens.get(place)?;
        while number > 0 && token.text != *word && PASSED_OVER.contains(&token.text.as_str()) {
            place += 1;
            token = tokens.get(place)?;
        }
        if !is_form(&token.text, word) {
            return None;
        }
        place += 1;
    }
    Some(place - at)
}

fn is_form(token: &str, word: &str) -> bool {
    token == word || (word.len() > 2 && forms(token).iter().any(|form| form == word))
}

/// A word, and what it may be the plural of.
fn forms(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    if word.len() > 3 {
        forms.extend(word.strip_suffix("ies").map(|stem| format!("{stem}y")));
        forms.extend(word.strip_suffix("es").map(str::to_owned));
        forms.extend(word.strip_suffix('s').map(str::to_owned));
    }
    forms
}
